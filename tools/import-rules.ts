/**
 * Files that match `from` must not import files that match `to`. Paths start at the project root. `$1` in `to` is the
 * first group of `from`.
 */
export type ImportRule = { from: RegExp; to: string; except?: RegExp; reason: string };

const FEATURES = 'packages/panel/src/features';
const SITE_SEARCH = `${FEATURES}/sites/search`;
const WEB = 'packages/web/src';

export const IMPORT_RULES: ImportRule[] = [
  {
    from: /^packages\/(panel|contract|agent|web)\/src\/(?!.*\.test\.tsx?$)/,
    to: '^packages/testkit/|/test/',
    reason: 'Production code contains no test code.',
  },
  {
    from: /^packages\/contract\/src\/(?!.*\.test\.ts$)/,
    to: '^(?!packages/contract/)|^node:',
    reason: 'The contract imports no other package of the project and does no I/O.',
  },
  {
    from: /^packages\/(agent|web)\/src\/(?!.*\.test\.tsx?$)/,
    to: '^packages/(?!contract/|$1/)',
    reason: 'The agent and the screens import only the contract.',
  },
  {
    from: /^(?!packages\/panel\/)/,
    // The names of the entry points have no extension.
    to: '^packages/panel/.*\\.tsx?$',
    reason:
      'Code outside the panel may import only the entry points in `exports` of its package.json.',
  },
  {
    from: new RegExp(`^${FEATURES}/([^/]+)/(?!database\\.ts$)`),
    to: `^${FEATURES}/(?!$1/)`,
    except: new RegExp(`^${FEATURES}/[^/]+/index\\.ts$`),
    reason: 'A feature may import only the index.ts of another feature.',
  },
  {
    from: new RegExp(`^${FEATURES}/([^/]+)/database\\.ts$`),
    to: `^${FEATURES}/(?!$1/)`,
    except: new RegExp(`^${FEATURES}/[^/]+/tables\\.ts$`),
    reason: 'database.ts may import only what the tables.ts of another feature publishes.',
  },
  {
    from: new RegExp(`^${FEATURES}/[^/]+/tables\\.ts$`),
    to: `^${FEATURES}/`,
    reason: 'tables.ts declares tables, and does not depend on code.',
  },
  {
    from: /^packages\/panel\/src\/(?!features\/|tables\.ts$)/,
    to: `^${FEATURES}/`,
    except: new RegExp(`^${FEATURES}/[^/]+/index\\.ts$`),
    reason: 'Code outside a feature may import only its index.ts.',
  },
  {
    from: /^packages\/panel\/src\/(?!entry-points\/)/,
    to: '^packages/panel/src/tables\\.ts$',
    reason: 'Only tests see the tables of all features.',
  },
  {
    from: new RegExp(`^(?!${SITE_SEARCH}/)`),
    to: `^${SITE_SEARCH}/`,
    except: new RegExp(`^${SITE_SEARCH}/index\\.ts$`),
    reason: 'Code outside the site search may import only its index.ts.',
  },
  {
    from: /^packages\/panel\/src\/platform\//,
    to: '^packages/panel/src/(?!platform/)',
    reason: 'The platform must not depend on other code of the panel.',
  },
  {
    from: /^packages\/panel\/src\/(http|site-client)\//,
    to: '^packages/panel/src/(?!platform/|$1/)',
    reason: 'http and site-client may import only the platform.',
  },
  {
    from: new RegExp(`^${FEATURES}/`),
    to: '^packages/panel/src/(?!features/|http/|site-client/|platform/)',
    reason: 'Features must not import the app.',
  },
  {
    from: new RegExp(`^${FEATURES}/.*\\.repository\\.ts$`),
    to: '\\.(routes|service)\\.ts$',
    reason: 'A repository contains only SQL. Services call it.',
  },
  {
    from: new RegExp(`^${FEATURES}/.*\\.routes\\.ts$`),
    to: '\\.repository\\.ts$',
    reason: 'Routes contain only HTTP. They call a service.',
  },
  {
    from: new RegExp(`^${FEATURES}/(?!.*(\\.routes|/index)\\.ts$)`),
    to: '\\.routes\\.ts$',
    reason: 'Only the index.ts of a feature and other routes may import routes.',
  },
  {
    from: new RegExp(`^${WEB}/features/([^/]+)/`),
    to: `^${WEB}/features/(?!$1/)`,
    except: new RegExp(`^${WEB}/features/[^/]+/index\\.ts$`),
    reason:
      'A feature may import only the index.ts of another feature. Move shared code to components/ or lib/.',
  },
  {
    from: new RegExp(`^${WEB}/(features|components|lib|messages)/`),
    to: `^${WEB}/app/`,
    reason: 'Features and shared code must not import the app.',
  },
  {
    from: new RegExp(`^${WEB}/(components|lib|messages)/`),
    to: `^${WEB}/features/`,
    reason: 'Shared code must not import features.',
  },
];
