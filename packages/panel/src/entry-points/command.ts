/** `@steward/panel/command`: runs the `steward` command in the process of a test. */
export { createCommandContext } from '../commands/command-context.ts';
export { createProgram, runCommand } from '../commands/run-command.ts';
