import type { Command } from "./command.ts";
import { accountCommands } from "./commands/accounts.ts";
import { attachmentCommands } from "./commands/attachments.ts";
import { deploymentCommands } from "./commands/deployment.ts";
import { eventCommands } from "./commands/events.ts";
import { movingCommands } from "./commands/moving.ts";
import { readingCommands } from "./commands/reading.ts";
import { ruleCommands } from "./commands/rules.ts";
import { sendingCommands } from "./commands/sending.ts";
import { settingsCommands } from "./commands/settings.ts";
import { signUpCommands } from "./commands/sign-ups.ts";
import { toolCommands } from "./commands/tools.ts";
import { waitingCommands } from "./commands/waiting.ts";
import { webhookCommands } from "./commands/webhooks.ts";

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...accountCommands,
  ...waitingCommands,
  ...signUpCommands,
  ...readingCommands,
  ...sendingCommands,
  ...attachmentCommands,
  ...eventCommands,
  ...webhookCommands,
  ...ruleCommands,
  ...settingsCommands,
  ...deploymentCommands,
  ...movingCommands,
  ...toolCommands,
];
