import { readFileSync } from 'node:fs';

/**
 * Returns the text of a setting, without spaces at both ends: the variable `NAME`, or the content of the file that
 * `NAME_FILE` names, as Docker and Kubernetes pass secrets. Undefined if neither is set.
 */
export function readSettingText(
  env: NodeJS.ProcessEnv,
  name: string,
  errors: string[],
): string | undefined {
  const text = env[name]?.trim();
  const path = env[`${name}_FILE`]?.trim();
  if (!path) return text || undefined;
  if (text) {
    errors.push(`${name} and ${name}_FILE are both set; remove one`);
    return undefined;
  }
  return readSettingFile(path, `${name}_FILE`, errors);
}

function readSettingFile(path: string, name: string, errors: string[]): string | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim();
    // An empty secret must not count as "not set": the panel would create a new one.
    if (text !== '') return text;
    errors.push(`${name} is an empty file`);
  } catch (error) {
    errors.push(`${name} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  return undefined;
}
