import { describe, expect, it } from 'vitest';
import * as contract from '../index.ts';

/** The keywords of WordPress's rest_get_allowed_schema_keywords(), and `required`. */
const KNOWN_TO_WORDPRESS = new Set(
  `title description default type format enum items properties additionalProperties
   patternProperties minProperties maxProperties minimum maximum exclusiveMinimum exclusiveMaximum
   multipleOf minLength maxLength pattern minItems maxItems uniqueItems anyOf oneOf required`.split(
    /\s+/,
  ),
);

type Schema = Record<string, unknown>;
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && 'type' in value && 'properties' in value;

function unknownKeywords(schema: Schema, path: string): string[] {
  const found = Object.keys(schema)
    .filter((keyword) => !KNOWN_TO_WORDPRESS.has(keyword))
    .map((keyword) => `${path}: ${keyword}`);
  for (const [name, child] of Object.entries((schema.properties ?? {}) as Record<string, Schema>)) {
    found.push(...unknownKeywords(child, `${path}.${name}`));
  }
  if (schema.items) found.push(...unknownKeywords(schema.items as Schema, `${path}[]`));
  return found;
}

describe('schemas', () => {
  const schemas = Object.entries(contract).filter(([, value]) => isSchema(value));

  it('are found by this test', () => {
    expect(schemas.length).toBeGreaterThan(20);
  });

  for (const [name, schema] of schemas) {
    it(`${name} uses only keywords that WordPress supports`, () => {
      expect(unknownKeywords(schema as unknown as Schema, name)).toEqual([]);
    });
  }
});

describe('PLUGIN_FILE_PATTERN', () => {
  const pattern = new RegExp(contract.PLUGIN_FILE_PATTERN, 'u');
  const good = ['hello.php', 'akismet/akismet.php', 'a b/c-d_e.php', 'x.y/z.php'];
  const bad = [
    '',
    'akismet',
    'akismet/',
    '/akismet.php',
    '../akismet.php',
    'a/../b.php',
    'a/..php',
    'a..b/c.php',
    'a/b..c.php',
    'x\n.php',
    './a.php',
    'a\\b.php',
    'a/b/c.php',
    'a\0.php',
    'C:\\a.php',
    'a.php/',
    'a.txt',
    '.php',
  ];
  for (const file of good) it(`accepts ${file}`, () => expect(pattern.test(file)).toBe(true));
  for (const file of bad) {
    it(`refuses ${JSON.stringify(file)}`, () => expect(pattern.test(file)).toBe(false));
  }
});
