import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLUGIN_FOLDER, readHeaderField, readPluginFile } from './plugin-files.ts';
import { type Translatable, translatableStrings } from './translatable-strings.ts';

export const POT_FILE = 'languages/steward.pot';
const MAIN_FILE = 'steward.php';
const HEADER_FIELDS = ['Plugin Name', 'Description', 'Author'];

/** No date and no version: the file changes only with its strings, so that a test can detect an outdated file. */
const POT_HEADER = `# This file is distributed under the same license as the Steward plugin.
msgid ""
msgstr ""
"Project-Id-Version: Steward\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"X-Domain: steward\\n"
`;

export function potText(strings: Translatable[]): string {
  return [POT_HEADER, ...groupByMessage(strings).map(entryText)].join('\n');
}

export function pluginPot(): string {
  return potText([...headerStrings(), ...translatableStrings()]);
}

function headerStrings(): Translatable[] {
  const source = readPluginFile(MAIN_FILE);
  return HEADER_FIELDS.map((field) => {
    const text = readHeaderField(source, field);
    if (text === undefined) throw new Error(`${MAIN_FILE} has no header ${field}.`);
    return { text, hint: `${field} of the plugin`, file: MAIN_FILE };
  });
}

/** Calls with the same text and context are one message, including its plural, as in gettext. */
function groupByMessage(strings: Translatable[]): Translatable[][] {
  return [...Map.groupBy(strings, ({ text, context }) => JSON.stringify([text, context])).values()];
}

function entryText(uses: Translatable[]): string {
  const context = uses[0]?.context;
  const text = uses[0]?.text ?? '';
  const plural = uses.find((use) => use.plural !== undefined)?.plural;
  const hints = new Set(uses.flatMap(({ hint }) => hint ?? []));
  const files = new Set(uses.map(({ file }) => file));
  const lines = [
    ...[...hints].map((hint) => `#. ${hint}`),
    ...[...files].map((file) => `#: ${file}`),
    ...(/%(?:\d+\$)?[sd]/.test(text + (plural ?? '')) ? ['#, php-format'] : []),
    ...(context === undefined ? [] : [`msgctxt ${quote(context)}`]),
    `msgid ${quote(text)}`,
    ...(plural === undefined
      ? ['msgstr ""']
      : [`msgid_plural ${quote(plural)}`, 'msgstr[0] ""', 'msgstr[1] ""']),
  ];
  return `${lines.join('\n')}\n`;
}

function quote(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t');
  return `"${escaped}"`;
}

if (import.meta.main) {
  writeFileSync(join(PLUGIN_FOLDER, POT_FILE), pluginPot());
  process.stdout.write(`${POT_FILE} is up to date.\n`);
}
