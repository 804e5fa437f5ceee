import { join } from 'node:path';
import { run } from '@steward/testkit/command.ts';
import { WORDPRESS_FOLDER } from '@steward/testkit/provide/parts.ts';

const RUNNER = join(import.meta.dirname, 'plugin-in-php.php');
const WP_INCLUDES = join(WORDPRESS_FOLDER, 'wp-includes');

/** The PHP extensions of a server that matter for non-ASCII hosts. */
export type PhpEnvironment = { name: string; phpOptions: string[]; wpIncludes: string[] };

const WITH_INTL: PhpEnvironment = { name: 'with intl', phpOptions: [], wpIncludes: [] };
export const WITHOUT_INTL: PhpEnvironment = {
  name: "without intl, with WordPress's encoder",
  phpOptions: ['-d', 'disable_functions=idn_to_ascii'],
  wpIncludes: [WP_INCLUDES],
};
/** Includes `WITH_INTL` only if the installed PHP has intl. */
export async function listEnvironments(): Promise<PhpEnvironment[]> {
  const hasIntl = await run('php', ['-r', 'echo function_exists("idn_to_ascii") ? "yes" : "no";']);
  return hasIntl === 'yes' ? [WITH_INTL, WITHOUT_INTL] : [WITHOUT_INTL];
}

type PluginFunction = 'canonical' | 'normalize';

/** Calls one plugin function for many inputs in one process. Fails on any PHP notice. */
export async function callInPhp(
  pluginFunction: PluginFunction,
  inputs: (string | Buffer)[],
  { phpOptions, wpIncludes }: PhpEnvironment = WITHOUT_INTL,
): Promise<(string | null)[]> {
  const request = {
    function: pluginFunction,
    inputs: inputs.map((input) => Buffer.from(input).toString('base64')),
  };
  const output = await run('php', [...phpOptions, RUNNER, ...wpIncludes], {
    input: JSON.stringify(request),
  });
  return JSON.parse(output) as (string | null)[];
}
