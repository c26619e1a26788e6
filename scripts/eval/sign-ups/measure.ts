import { CODES } from "../codes.ts";
import { corpusOf } from "../evaluation.ts";
import type { Fixture } from "../fixtures.ts";
import { honestScenes } from "./honest.ts";
import { phishingScenes } from "./phishing.ts";
import { play, type Scene } from "./scene.ts";

/** The least number of scenes, and the least share of honest sign-ups whose code or link was released. No attack may succeed. */
export const FLOORS = { phishing: 120, honest: 150, released: 0.99 } as const;

/** A scene that went otherwise than it must. */
export interface SceneMiss {
  name: string;
  released: readonly string[];
  told: readonly string[];
}

/** How many scenes there were, and which went wrong. */
export interface SceneCount {
  scenes: number;
  misses: SceneMiss[];
}

/** Plays all attacks: nothing but an honest code is released, and the agent is told why. */
export async function measurePhishing(): Promise<SceneCount> {
  return count(phishingScenes(bringing("code"), bringing("link")), ({ honest }, released, told, wanted) => {
    const isHonest = released.every((value) => honest.includes(value));
    const isWhole = honest.every((value) => released.includes(value));
    return isHonest && isWhole && (wanted.length === 0 || wanted.some((reason) => told.includes(reason)));
  });
}

/** Plays all honest sign-ups: everything that the mail brings is released. */
export async function measureHonest(): Promise<SceneCount> {
  return count(honestScenes(corpusOf(CODES).developed), ({ honest }, released) =>
    honest.every((value) => released.includes(value)),
  );
}

/** Mails of the corpus with this value, of as many languages and forms as there are. */
function bringing(field: "code" | "link"): Fixture[] {
  return corpusOf(CODES).developed.filter(({ expected }) => field in expected);
}

async function count(
  scenes: readonly Scene[],
  isRight: (
    scene: Scene,
    released: readonly string[],
    told: readonly string[],
    wanted: readonly string[],
  ) => boolean,
): Promise<SceneCount> {
  const misses: SceneMiss[] = [];
  for (const scene of scenes) {
    const { released, last } = await play(scene);
    const told = last.rejected.map(({ reason }) => reason);
    if (!isRight(scene, released, told, scene.told ?? [])) misses.push({ name: scene.name, released, told });
  }
  return { scenes: scenes.length, misses };
}
