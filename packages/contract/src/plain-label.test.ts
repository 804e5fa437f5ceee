import { describe, expect, it } from 'vitest';
import { parseLabel } from './plain-label.ts';

describe('parseLabel', () => {
  it('trims a name and keeps letters of all scripts', () => {
    expect(parseLabel('  Café Größe 東京 مقهى 👩‍🍳 ')).toBe('Café Größe 東京 مقهى 👩‍🍳');
    expect(parseLabel('   ')).toBe('');
  });

  it.each(['a\nb', 'a\u0000b', 'a\u2028b', 'a\u202eb', 'a\u2067b', 'a\u200fb', 'a\u001bb'])(
    'refuses %j',
    (name) => {
      expect(parseLabel(name)).toBeNull();
    },
  );
});
