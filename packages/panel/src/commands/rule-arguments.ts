import { SOFTWARE_TYPES, type SoftwareType, VERSION_MAX_LENGTH } from '@steward/contract';
import { InvalidArgumentError } from 'commander';

export function parseListedId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be an id from the list.');
}

export function parseType(text: string): SoftwareType {
  const type = SOFTWARE_TYPES.find((each) => each === text);
  if (type) return type;
  throw new InvalidArgumentError(`It must be one of ${SOFTWARE_TYPES.join(', ')}.`);
}

export function parseVersion(text: string): string {
  const version = text.trim();
  const isValid =
    version !== '' && version.length <= VERSION_MAX_LENGTH && !/\p{Cc}/u.test(version);
  if (isValid) return version;
  throw new InvalidArgumentError(`It must have 1 to ${VERSION_MAX_LENGTH} characters.`);
}

export const parseText = (maxLength: number) => (text: string) => {
  if (text.trim() !== '' && text.length <= maxLength && !text.includes('\0')) return text.trim();
  throw new InvalidArgumentError(`It must have 1 to ${maxLength} characters.`);
};
