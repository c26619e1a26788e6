import { COMMON_FLAGS, type Command, type Flag } from "./command.ts";
import { kebab } from "./route-flags.ts";

/** Shells that a completion is written for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** The words that can follow others: names of commands, or flags. */
interface Place {
  /** The words before: "" at the beginning, `webhooks`, `webhooks set`. */
  after: string;
  /** Words with a description each. */
  words: readonly (readonly [word: string, about: string])[];
}

/** Everything that can be completed, from the table of commands. */
function placesOf(commands: readonly Command[]): Place[] {
  const groups = new Map<string, Map<string, string>>();
  const add = (group: string, word: string, about: string): void => {
    const words = groups.get(group) ?? new Map<string, string>();
    groups.set(group, words);
    if (!words.has(word)) words.set(word, firstSentence(about));
  };
  for (const { name, summary } of commands) {
    const words = name.split(" ");
    for (const [at, word] of words.entries()) add(words.slice(0, at).join(" "), word, summary);
  }
  for (const { name, flags } of commands) {
    for (const [flag, { about }] of Object.entries({ ...flags, ...COMMON_FLAGS })) {
      add(name, `--${kebab(flag)}`, about);
    }
  }
  return [...groups].map(([after, words]) => ({ after, words: [...words] }));
}

/** The values of flags that have a list of them. */
function choicesOf(commands: readonly Command[]): [flag: string, choices: readonly string[]][] {
  const all = new Map<string, Set<string>>();
  for (const { flags } of commands) {
    for (const [flag, { choices }] of Object.entries<Flag>(flags)) {
      if (choices !== undefined) all.set(flag, new Set([...(all.get(flag) ?? []), ...choices]));
    }
  }
  return [...all].map(([flag, choices]) => [`--${flag}`, [...choices]]);
}

/** Names and texts of the table hold no quotes after this; they stand between single quotes in the scripts. */
function firstSentence(about: string): string {
  return (about.split(/(?<=[.:;]) /)[0] ?? "").replaceAll(/[^\w .,:;<>()/=-]/g, "").replace(/[.:;]$/, "");
}

const quoted = (text: string): string => `'${text}'`;

/** A script that completes the commands and flags of `mailkeep`. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const places = placesOf(commands);
  const choices = choicesOf(commands);
  return { bash, zsh, fish }[shell](places, choices);
}

type Choices = ReturnType<typeof choicesOf>;

function cases(places: readonly Place[], line: (place: Place) => string): string {
  // Longer ones first: `webhooks set` before `webhooks`.
  return places
    .toSorted((a, b) => b.after.length - a.after.length)
    .map((place) => line(place))
    .join("\n");
}

function bash(places: readonly Place[], choices: Choices): string {
  return `# bash completion of mailkeep: source <(mailkeep completion bash)
_mailkeep() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} path="" at
  case $before in
${choices.map(([flag, values]) => `    ${flag}) COMPREPLY=($(compgen -W '${values.join(" ")}' -- "$word")); return ;;`).join("\n")}
  esac
  for ((at = 1; at < COMP_CWORD; at++)); do
    case \${COMP_WORDS[at]} in -*) ;; *) path="$path \${COMP_WORDS[at]}" ;; esac
  done
  local words=""
  case "$path " in
${cases(places, ({ after, words }) => `    ${quoted(after === "" ? " " : ` ${after} `)}*) words='${words.map(([one]) => one).join(" ")}' ;;`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _mailkeep mailkeep
`;
}

function zsh(places: readonly Place[], choices: Choices): string {
  const described = ({ words }: Place): string =>
    words.map(([word, about]) => quoted(`${word.replaceAll(":", "\\:")}:${about}`)).join(" ");
  return `#compdef mailkeep
# zsh completion of mailkeep: source <(mailkeep completion zsh)
_mailkeep() {
  local path_ at
  local -a choices_
  case \${words[CURRENT-1]} in
${choices.map(([flag, values]) => `    ${flag}) choices_=(${values.map(quoted).join(" ")}); _describe value choices_; return ;;`).join("\n")}
  esac
  for ((at = 2; at < CURRENT; at++)); do
    [[ \${words[at]} == -* ]] || path_="$path_ \${words[at]}"
  done
  case "$path_ " in
${cases(places, (place) => `    ${quoted(place.after === "" ? " " : ` ${place.after} `)}*) choices_=(${described(place)}) ;;`)}
  esac
  _describe command choices_ || _files
}
compdef _mailkeep mailkeep
`;
}

function fish(places: readonly Place[], choices: Choices): string {
  const line = ({ after, words }: Place): string[] =>
    words.map(([word, about]) => {
      const condition = `-n '__mailkeep_at ${after === "" ? '""' : `"${after}"`}'`;
      const known = choices.find(([flag]) => flag === word)?.[1];
      const values = known === undefined ? "" : ` -x -a '${known.join(" ")}'`;
      return word.startsWith("--")
        ? `complete -c mailkeep ${condition} -l ${word.slice(2)} -d '${about}'${values}`
        : `complete -c mailkeep -f ${condition} -a '${word}' -d '${about}'`;
    });
  return `# fish completion of mailkeep: mailkeep completion fish | source
function __mailkeep_at
  set -l typed
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; or set -a typed $word
  end
  if test -z "$argv[1]"
    test (count $typed) -eq 0
  else
    string match -q -- "$argv[1] *" "$typed "
  end
end
${places.flatMap(line).join("\n")}
`;
}
