import { describe, expect, it } from 'vitest';
import { explainNotFound, type NotFoundFacts } from './explain-not-found.ts';

const NOTHING: NotFoundFacts = {
  isUnknownRoute: false,
  byQuery: 'nothing',
  byPath: 'nothing',
  announced: null,
  home: 'unknown',
};
const announced = (index: 'steward' | 'nothing', isOtherHost = false) => ({
  address: 'https://example.com/api/',
  isOtherHost,
  index,
});

describe('explainNotFound', () => {
  it.each<[what: string, facts: Partial<NotFoundFacts>, expected: RegExp]>([
    [
      'a web server without the rewrite rule, or permalinks that are not flushed',
      { byQuery: 'steward' },
      /responds at \/\?rest_route=\/, .* Settings → Permalinks; nginx needs the line “try_files .*Check now/,
    ],
    [
      'a blocked address',
      { byQuery: 'steward', byPath: 'steward' },
      /^The Steward plugin responds at \/wp-json\/, but not at the called address: .*Check now/,
    ],
    [
      'a moved REST API',
      { announced: announced('steward'), home: 'wordpress' },
      /^The Steward plugin responds at https:\/\/example\.com\/api\/, .*Check now/,
    ],
    [
      'an old plugin',
      { byQuery: 'steward', isUnknownRoute: true },
      /does not know this call\. Update the plugin/,
    ],
    [
      'an inactive plugin',
      { byQuery: 'wordpress' },
      /not active there\. Activate it under Plugins/,
    ],
    ['an inactive plugin at /wp-json/', { byPath: 'wordpress' }, /not active there/],
    ['an unknown route', { isUnknownRoute: true }, /not active there/],
    ['a closed REST API', { byQuery: 'closed' }, /closes its REST API\. Exempt \/service\/v1\//],
    [
      'a REST API on another host',
      { announced: announced('nothing', true), home: 'wordpress' },
      /on another host: https:\/\/example\.com\/api\/\. .*approve the endpoint/,
    ],
    [
      'a hidden REST API',
      { home: 'wordpress' },
      /a security plugin or the web server hides it\. Exempt \/service\/v1\/ there\..*Permalinks/,
    ],
    ['another server', { home: 'other' }, /another server has taken its place\. .* DNS/],
    ['nothing known', { byQuery: 'unknown' }, /^Check that the Steward plugin is active/],
  ])('names the cause and the next step: %s', (_what, facts, expected) => {
    expect(explainNotFound({ ...NOTHING, ...facts })).toMatch(expected);
  });
});
