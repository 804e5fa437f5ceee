import { expect, it } from 'vitest';
import { describeFailingVersion } from './describe-version-health.ts';

const VERSION = { version: '4.0.2', sites: 12, sites_failing: 3 };
const PHP = { kind: 'php', name: 'PHP 8.3' } as const;
const CORE = { kind: 'wordpress', name: 'WordPress 7.1' } as const;
const PLUGIN = { kind: 'plugin', name: 'Shop' } as const;

it.each([
  [{ ...VERSION, common_facts: [] }, '4.0.2 fails on 3 of 12 sites.'],
  [{ ...VERSION, common_facts: [PHP] }, '4.0.2 fails on 3 of 12 sites, all with PHP 8.3.'],
  [
    { ...VERSION, common_facts: [PHP, CORE, PLUGIN] },
    '4.0.2 fails on 3 of 12 sites, all with PHP 8.3, WordPress 7.1 and the plugin Shop.',
  ],
  [{ ...VERSION, sites: 1, sites_failing: 1, common_facts: [] }, '4.0.2 fails on 1 of 1 site.'],
])('describes %j', (version, sentence) => {
  expect(describeFailingVersion(version)).toBe(sentence);
});
