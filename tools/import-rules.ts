/**
 * Which part of the project may import which. Paths start at the root of the project. `$1` in `to` stands for the first
 * group that `from` has matched.
 */
export type ImportRule = { from: RegExp; to: string; except?: RegExp; because: string };

const FEATURE = 'packages/panel/src/features';
const SITE_SEARCH = `${FEATURE}/sites/search`;
const WEB = 'packages/web/src';

export const IMPORT_RULES: ImportRule[] = [
  {
    from: /^packages\/(panel|contract|agent|web)\/src\//,
    to: '^packages/testkit/|/test/',
    because: 'Production code contains no test code.',
  },
  {
    from: /^packages\/contract\/src\//,
    to: '^(?!packages/contract/)|^node:',
    because: 'The contract imports nothing of ours and does no I/O.',
  },
  {
    from: /^packages\/(agent|web)\/src\//,
    to: '^packages/panel/',
    because: 'Only the contract is shared with the panel.',
  },
  {
    from: new RegExp(`^${FEATURE}/([^/]+)/`),
    to: `^${FEATURE}/(?!$1/)`,
    except: new RegExp(`^${FEATURE}/[^/]+/index\\.ts$`),
    because: "A feature imports another feature's index.ts only.",
  },
  {
    from: /^packages\/panel\/src\/(?!features\/)/,
    to: `^${FEATURE}/`,
    except: new RegExp(`^${FEATURE}/[^/]+/index\\.ts$`),
    because: "Only a feature's index.ts is imported from outside the feature.",
  },
  {
    from: new RegExp(`^(?!${SITE_SEARCH}/)`),
    to: `^${SITE_SEARCH}/`,
    except: new RegExp(`^${SITE_SEARCH}/index\\.ts$`),
    because: 'Only the index.ts of the site search is imported from outside its folder.',
  },
  {
    from: /^packages\/panel\/src\/platform\//,
    to: '^packages/panel/src/(?!platform/)',
    because: 'The platform knows nothing of what is built on it.',
  },
  {
    from: /^packages\/panel\/src\/(http|site-client)\//,
    to: '^packages/panel/src/(?!platform/|$1/)',
    because: 'http and site-client are built on the platform alone.',
  },
  {
    from: new RegExp(`^${FEATURE}/`),
    to: '^packages/panel/src/(?!features/|http/|site-client/|platform/)',
    because: 'The app is made of features, not the other way round.',
  },
  {
    from: new RegExp(`^${FEATURE}/.*\\.repository\\.ts$`),
    to: '\\.(routes|service)\\.ts$',
    because: 'A repository is SQL only; services call it.',
  },
  {
    from: new RegExp(`^${FEATURE}/.*\\.routes\\.ts$`),
    to: '\\.repository\\.ts$',
    because: 'Routes are HTTP only: they call a service.',
  },
  {
    from: new RegExp(`^${FEATURE}/(?!.*(\\.routes|/index)\\.ts$)`),
    to: '\\.routes\\.ts$',
    because: 'Routes call services, not the other way round.',
  },
  {
    from: new RegExp(`^${WEB}/features/([^/]+)/`),
    to: `^${WEB}/features/(?!$1/)`,
    except: new RegExp(`^${WEB}/features/[^/]+/index\\.ts$`),
    because:
      "A feature imports another feature's index.ts only; code for all goes to components/ or lib/.",
  },
  {
    from: new RegExp(`^${WEB}/(features|components|lib|messages)/`),
    to: `^${WEB}/app/`,
    because: 'The app is made of features, not the other way round.',
  },
  {
    from: new RegExp(`^${WEB}/(components|lib|messages)/`),
    to: `^${WEB}/features/`,
    because: 'What all features share knows none of them.',
  },
];
