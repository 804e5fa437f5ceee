import { describe, expect, it } from 'vitest';
import { DEFAULT_FOLDER, readSettings } from '../demo/settings.ts';

describe('the options of npm run demo', () => {
  it('have defaults', () => {
    const defaults = { folder: DEFAULT_FOLDER, port: null, sites: null, includesWordPress: false };
    expect(readSettings([])).toEqual(defaults);
    expect(readSettings(['--port', '5000', '--sites', '60', '--wordpress'])).toEqual({
      ...defaults,
      port: 5000,
      sites: 60,
      includesWordPress: true,
    });
  });

  it.each([
    [
      'an unknown option',
      ['--nonsense'],
      "Unknown option '--nonsense'. Run npm run demo -- --help",
    ],
    ['a word', ['word'], "Unexpected argument 'word'"],
    ['an option without its value', ['--port'], "Option '--port <value>' argument missing"],
    ['a port of the system', ['--port', '80'], '--port must be an integer from 1024 to'],
    ['a port after which the sites have none', ['--port', '65530'], '--port must be an integer'],
    [
      'the same with more sites',
      ['--port', '65400', '--sites', '200'],
      '--port must be an integer',
    ],
    ['too few sites', ['--sites', '5'], '--sites must be an integer from 12 to 200'],
  ])('are refused with one sentence for %s', (_name, args, message) => {
    expect(() => readSettings(args)).toThrow(message);
    expect(() => readSettings(args)).toThrow(/^[^\n]+\.$/);
  });
});
