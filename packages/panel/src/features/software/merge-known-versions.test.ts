import { describe, expect, it } from 'vitest';
import { mergeKnownVersions } from './merge-known-versions.ts';

describe('mergeKnownVersions', () => {
  it('lists each version once, the newest first, with all that is known of it', () => {
    const versions = mergeKnownVersions({
      counted: [
        { version: '1.9', installed_sites: 3, offered_sites: 0 },
        { version: '1.10', installed_sites: 1, offered_sites: 3 },
      ],
      saved: [
        { version: '1.9', saved_sites: 1 },
        { version: '1.8', saved_sites: 2 },
      ],
      packages: ['2.0-beta', '1.10'],
    });
    expect(versions).toEqual([
      {
        ...{ version: '2.0-beta', installed_sites: 0, offered_sites: 0, saved_sites: 0 },
        has_package: true,
      },
      {
        ...{ version: '1.10', installed_sites: 1, offered_sites: 3, saved_sites: 0 },
        has_package: true,
      },
      {
        ...{ version: '1.9', installed_sites: 3, offered_sites: 0, saved_sites: 1 },
        has_package: false,
      },
      {
        ...{ version: '1.8', installed_sites: 0, offered_sites: 0, saved_sites: 2 },
        has_package: false,
      },
    ]);
  });
});
