import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { ADMIN } from '@steward/testkit/wordpress/template.ts';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { useLicensedSite } from './support/use-licensed-site.ts';

const FATAL = 'this_function_does_not_exist();';
const RUNS = Number(process.env.TRUTH_RUNS ?? 5);

/** The place where the new version is broken; '' is a working version. */
const PLACES: Record<string, string> = {
  nowhere: '',
  everywhere: FATAL,
  'for visitors': `add_action( 'template_redirect', function () { ${FATAL} } );`,
  'in the admin area': `add_action( 'admin_init', function () { ${FATAL} } );`,
  'on the login page': `if ( 'wp-login.php' === $GLOBALS['pagenow'] ) { ${FATAL} }`,
  'on posts': `add_action( 'wp', function () { if ( is_single() ) { ${FATAL} } } );`,
  'for signed-in users': `add_action( 'wp_footer', function () { if ( is_user_logged_in() ) { ${FATAL} } } );`,
  'in the REST API': `add_action( 'rest_api_init', function () { ${FATAL} } );`,
  'by die()': "add_action( 'template_redirect', function () { die(); } );",
  'by a redirect':
    "add_action( 'template_redirect', function () { wp_redirect( home_url( '/?' . wp_rand() ) ); exit; } );",
  'by a missing file': "require __DIR__ . '/inc/part.php';",
};

/** Properties of hosts, as PHP that runs before all plugins or as lines for nginx. */
const QUIRKS: Record<string, { php?: string; nginx?: string }> = {
  none: {},
  'no loopback requests': { nginx: 'if ($http_user_agent ~ "^Steward;") { return 444; }' },
  'opcache checks once a minute': { php: "ini_set( 'opcache.revalidate_freq', '60' );" },
  'slow pages': { php: 'usleep( 300000 );' },
  'output before every page': { php: "echo ' ';" },
};

const onHook = (hook: string) => `add_filter( '${hook}', function () { ${kill} } );`;
const kill = 'posix_kill( getmypid(), 9 );';
/** The stage at which the update process is killed. */
const KILLS: Record<string, string> = {
  never: '',
  'before the swap': onHook('upgrader_pre_install'),
  'after the old version was moved away': onHook('upgrader_clear_destination'),
  'before the new version is verified': onHook('upgrader_post_install'),
  'during verification': `add_filter( 'steward_health_check_timeout', function ( $seconds ) {
    static $checks = 0;
    if ( 4 === ++$checks ) { ${kill} }
    return $seconds;
  } );`,
};

const wordpress = useLicensedSite({ hasWorker: true });
let owner: PanelClient;
let cookie: string;
beforeAll(async () => {
  owner = await signInAt(wordpress.panel.url, await wordpress.panel.newUser());
  const response = await fetch(`${wordpress.site.url}/wp-login.php`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: 'wordpress_test_cookie=WP%20Cookie%20check' },
    body: new URLSearchParams({ log: ADMIN.user, pwd: ADMIN.password, testcookie: '1' }),
  });
  cookie = response.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
});

/** Returns the pages that do not work for a visitor or a signed-in user. */
async function findBrokenPages(): Promise<string[]> {
  const pages: [name: string, path: string, signedIn: boolean][] = [
    ['home', '/', false],
    ['login', '/wp-login.php', false],
    ['post', '/hello-world/', false],
    ['REST', '/?rest_route=/', false],
    ['dashboard', '/wp-admin/index.php', true],
    ['home, signed in', '/', true],
  ];
  const broken: string[] = [];
  for (const [name, path, signedIn] of pages) {
    try {
      const response = await fetch(wordpress.site.url + path, {
        headers: signedIn ? { cookie } : {},
      });
      const text = await response.text();
      const isWhole = path.includes('rest_route') ? text.endsWith('}') : text.includes('</html>');
      if (response.status >= 400 || !isWhole) broken.push(name);
    } catch {
      broken.push(name);
    }
  }
  return broken;
}

const anyKeyOf = (from: object) => fc.constantFrom(...Object.keys(from));

it('reports the actual outcome for any broken version, host and kill', {
  timeout: RUNS * 30_000,
}, async () => {
  const situation = fc.record({
    place: anyKeyOf(PLACES),
    quirk: anyKeyOf(QUIRKS),
    killed: anyKeyOf(KILLS),
  });
  await fc.assert(
    fc.asyncProperty(situation, async ({ place, quirk, killed }) => {
      const { php = '', nginx = '' } = QUIRKS[quirk] ?? {};
      await wordpress.reset();
      await wordpress.site.configureServer(nginx);
      const body = PLACES[place] ?? '';
      const files = { 'inc/part.php': '<?php' };
      await wordpress.plugin('shop', { body: place.includes('missing') ? body : '', files });
      await wordpress.offerPlugin('shop', { body });
      const isUpdate = "false !== strpos( $_SERVER['REQUEST_URI'], 'remote/update' )";
      const quirks = await wordpress.mustUse(`${php} if ( ${isUpdate} ) { ${KILLS[killed]} }`);
      expect(await findBrokenPages()).toEqual([]);

      const run = await owner.post('/remote/update', { site_ids: [wordpress.site.siteId] });
      const [result] = run.body.results;
      await quirks.remove();
      const broken = await findBrokenPages();
      const report = `${result.status} ${result.error ?? ''} ${JSON.stringify(result.details)}`;
      // Without loopback requests, the panel checks the home page and the endpoint.
      const isChecked = (name: string) => nginx === '' || name === 'home' || name === 'REST';
      if (result.status === 'succeeded')
        expect([report, broken.filter(isChecked)]).toEqual([report, []]);
      if (broken.length > 0 && nginx === '')
        expect(report).toMatch(/^(unverified|unknown)|roll(ed)? back/i);
      if (place === 'nowhere') expect(broken).toEqual([]);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
