import { describe, expect, it } from 'vitest';
import { browserName } from './browser-name.ts';

describe('browserName', () => {
  const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15';
  it.each([
    [`${iPhone} (KHTML, like Gecko) CriOS/120.0 Mobile/15E148 Safari/604.1`, 'Chrome on iPhone'],
    [`${iPhone} (KHTML, like Gecko) FxiOS/121.0 Mobile/15E148 Safari/605.1`, 'Firefox on iPhone'],
    [`${iPhone} (KHTML, like Gecko) Version/17.2 Mobile/15E148 Safari/604.1`, 'Safari on iPhone'],
    [
      'Mozilla/5.0 (Linux; Android 10) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36 EdgA/120.0',
      'Edge on Android',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/120.0 Safari/537.36 Edg/120.0',
      'Edge on Windows',
    ],
  ])('%s', (userAgent, name) => {
    expect(browserName(userAgent)).toBe(name);
  });
});
