import { join } from 'node:path';
import { run } from '@steward/testkit/command.ts';
import { WORDPRESS_FOLDER } from '@steward/testkit/provide/parts.ts';

const RUNNER = join(import.meta.dirname, '../php/vectors.php');
const WP_INCLUDES = join(WORDPRESS_FOLDER, 'wp-includes');

/** What a server's PHP may have, or not have, for hosts that are not ASCII. */
export type Surroundings = { name: string; phpOptions: string[]; wpIncludes: string[] };

const WITH_INTL: Surroundings = { name: 'with intl', phpOptions: [], wpIncludes: [] };
export const WITHOUT_INTL: Surroundings = {
  name: "without intl, with WordPress's encoder",
  phpOptions: ['-d', 'disable_functions=idn_to_ascii'],
  wpIncludes: [WP_INCLUDES],
};
export const WITHOUT_MBSTRING: Surroundings = {
  name: 'without intl and mbstring',
  phpOptions: ['-d', 'disable_functions=idn_to_ascii,mb_strtolower'],
  wpIncludes: [WP_INCLUDES],
};
export const WITHOUT_ANY: Surroundings = { ...WITHOUT_INTL, name: 'without any', wpIncludes: [] };

/** The first is there only where PHP has intl: nothing can be said of it elsewhere. */
export async function surroundingsHere(): Promise<Surroundings[]> {
  const hasIntl = await run('php', ['-r', 'echo function_exists("idn_to_ascii") ? "yes" : "no";']);
  return hasIntl === 'yes' ? [WITH_INTL, WITHOUT_INTL] : [WITHOUT_INTL];
}

type PluginFunction = 'canonical' | 'normalize' | 'masked';

/** Calls one function of the plugin for many inputs in one process. Any notice makes it fail. */
export async function inPhp(
  pluginFunction: PluginFunction,
  inputs: (string | Buffer)[],
  { phpOptions, wpIncludes }: Surroundings = WITHOUT_INTL,
): Promise<(string | null)[]> {
  const asked = {
    function: pluginFunction,
    inputs: inputs.map((input) => Buffer.from(input).toString('base64')),
  };
  const output = await run('php', [...phpOptions, RUNNER, ...wpIncludes], {
    input: JSON.stringify(asked),
  });
  return JSON.parse(output) as (string | null)[];
}
