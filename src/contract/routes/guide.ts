import { PRODUCT_NAME } from "../product.ts";
import { none } from "../parameters.ts";
import { route } from "../route.ts";

/** The common part of both forms of the guide. */
const reads = { method: "GET", tag: "Guide", target: "public", scopes: [], query: none } as const;

/** The guide that an agent reads first. The deployment writes it with its own address and by its settings. */
export const guideRoutes = {
  guide: route({
    ...reads,
    path: "/llms.txt",
    summary: "The guide for agents: get a mailbox, wait for a code, read safely, send, handle errors",
    responses: {
      200: {
        media: "text/plain; charset=utf-8",
        about: "In at most 1,200 tokens, with an ETag.",
        example: `# ${PRODUCT_NAME}\n\n> Email for agents: an address at mail.example, verification codes, mail to read, search and send.\n`,
      },
    },
  }),
  skill: route({
    ...reads,
    path: "/skill.md",
    summary: "The same guide as an agent skill, with name and description",
    responses: {
      200: {
        media: "text/markdown; charset=utf-8",
        about: "In at most 1,200 tokens, with an ETag.",
        example: `---\nname: mailkeep\ndescription: Get an email address, wait for verification codes.\n---\n\n# ${PRODUCT_NAME}\n`,
      },
    },
  }),
} as const;
