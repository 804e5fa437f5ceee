import { describe, expect, it } from 'vitest';
import { detectLogoType } from './detect-logo-type.ts';

describe('detectLogoType', () => {
  it.each([
    ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]],
    ['image/jpeg', [0xff, 0xd8, 0xff, 0xe0, 0, 0]],
    ['image/webp', [...Buffer.from('RIFF\u0001\u0002\u0003\u0004WEBPVP8 ', 'latin1')]],
  ])('finds %s by its first bytes', (type, bytes) => {
    expect(detectLogoType(Buffer.from(bytes))).toBe(type);
  });

  it.each([
    '',
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    'GIF89a',
    'RIFF\u0001\u0002\u0003\u0004WAVE',
    '<html>\u0089PNG\r\n\u001a\n',
    '\u0089PNG',
  ])('refuses %j', (text) => {
    expect(detectLogoType(Buffer.from(text, 'latin1'))).toBeNull();
  });
});
