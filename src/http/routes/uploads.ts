import { done } from "../../lib/outcome.ts";
import { json } from "../answers.ts";
import type { Handlers } from "../call.ts";
import { storeUpload } from "../store-upload.ts";
import { readUploadRequest } from "../upload-request.ts";

export const uploadHandlers: Pick<Handlers, "upload"> = {
  async upload({ input, request, env, mailbox, access }) {
    const wish = readUploadRequest(request.headers, input.query.filename);
    if (!wish.ok) {
      // What is wrong is told only to who may upload.
      const judged = await mailbox.admit({ ...access, fault: wish.error });
      return judged.ok ? wish : judged;
    }
    const uploaded = await storeUpload(wish.value, request.body, { env, mailbox, access });
    return uploaded.ok ? done(json(uploaded.value, 201)) : uploaded;
  },
};
