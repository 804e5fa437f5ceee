import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { queryClient } from '../lib/query-client.ts';
import { sessionQuery } from '../lib/session.ts';
import { NotFoundPage, PageError } from './error-pages.tsx';
import { parseSearch, pickParams, stringifySearch } from './search.ts';
import { Shell } from './shell.tsx';

// All pages and their paths. The code of a page loads when the user opens it, or earlier, when the user points at a link to
// it or focuses it (`defaultPreload`).

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: pickParams(['next']),
  component: lazyRouteComponent(() => import('../features/account/sign-in-page.tsx'), 'SignInPage'),
});
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyRouteComponent(() => import('../features/account/setup-page.tsx'), 'SetupPage'),
});
const setPassword = createRoute({
  getParentRoute: () => root,
  path: '/set-password',
  component: lazyRouteComponent(
    () => import('../features/account/set-password-page.tsx'),
    'SetPasswordPage',
  ),
});

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(
    () => import('../features/account/forgot-password-page.tsx'),
    'ForgotPasswordPage',
  ),
});

const apiDocs = createRoute({
  getParentRoute: () => root,
  path: '/docs',
  validateSearch: pickParams(['search', 'operation']),
  component: lazyRouteComponent(
    () => import('../features/api-docs/api-docs-page.tsx'),
    'ApiDocsPage',
  ),
});

/** Pages that need a session. A user without one signs in first and then returns to the page. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  beforeLoad: async ({ location }) => {
    const user = await queryClient.ensureQueryData(sessionQuery);
    if (user) return;
    const next = location.href === '/' ? {} : { next: location.href };
    throw redirect({ to: '/sign-in', search: next });
  },
});

const overview = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  component: lazyRouteComponent(
    () => import('../features/overview/overview-page.tsx'),
    'OverviewPage',
  ),
});
const sites = createRoute({
  getParentRoute: () => signedIn,
  path: '/sites',
  validateSearch: pickParams([
    'search',
    'status',
    'pending',
    'environment',
    'tag',
    'license_id',
    'client_id',
    'archived',
    'software_type',
    'software',
    'software_version',
    'software_outdated',
    'steward_plugin',
    'support',
    'certificate',
    'sort',
    'order',
    'columns',
  ]),
  component: lazyRouteComponent(() => import('../features/sites/sites-page.tsx'), 'SitesPage'),
});
const site = createRoute({
  getParentRoute: () => signedIn,
  path: '/sites/$siteId',
  component: lazyRouteComponent(() => import('../features/sites/site-page.tsx'), 'SitePage'),
});
const connect = createRoute({
  getParentRoute: () => signedIn,
  path: '/connect',
  component: lazyRouteComponent(
    () => import('../features/licenses/connect-sites-page.tsx'),
    'ConnectSitesPage',
  ),
});
const clients = createRoute({
  getParentRoute: () => signedIn,
  path: '/clients',
  validateSearch: pickParams(['search', 'archived', 'new', 'client', 'archive']),
  component: lazyRouteComponent(
    () => import('../features/clients/clients-page.tsx'),
    'ClientsPage',
  ),
});
const software = createRoute({
  getParentRoute: () => signedIn,
  path: '/software',
  validateSearch: pickParams(['type', 'search', 'filter', 'sort', 'direction']),
  component: lazyRouteComponent(
    () => import('../features/software/software-page.tsx'),
    'SoftwarePage',
  ),
});
const softwareItem = createRoute({
  getParentRoute: () => signedIn,
  path: '/software/item',
  validateSearch: pickParams(['type', 'slug', 'version', 'outdated', 'search', 'sort', 'order']),
  component: lazyRouteComponent(
    () => import('../features/software/software-item-page.tsx'),
    'SoftwareItemPage',
  ),
});
const runs = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs',
  component: lazyRouteComponent(() => import('../features/runs/runs-page.tsx'), 'RunsPage'),
});
const run = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs/$runId',
  validateSearch: pickParams(['status', 'task']),
  component: lazyRouteComponent(() => import('../features/runs/run-page.tsx'), 'RunPage'),
});
const schedules = createRoute({
  getParentRoute: () => signedIn,
  path: '/schedules',
  component: lazyRouteComponent(
    () => import('../features/schedules/schedules-page.tsx'),
    'SchedulesPage',
  ),
});
const rollouts = createRoute({
  getParentRoute: () => signedIn,
  path: '/rollouts',
  component: lazyRouteComponent(
    () => import('../features/rollouts/rollouts-page.tsx'),
    'RolloutsPage',
  ),
});
const rollout = createRoute({
  getParentRoute: () => signedIn,
  path: '/rollouts/$rolloutId',
  component: lazyRouteComponent(
    () => import('../features/rollouts/rollout-page.tsx'),
    'RolloutPage',
  ),
});
const licenses = createRoute({
  getParentRoute: () => signedIn,
  path: '/licenses',
  validateSearch: pickParams(['search', 'status', 'plan', 'new']),
  component: lazyRouteComponent(
    () => import('../features/licenses/licenses-page.tsx'),
    'LicensesPage',
  ),
});
const license = createRoute({
  getParentRoute: () => signedIn,
  path: '/licenses/$licenseId',
  component: lazyRouteComponent(
    () => import('../features/licenses/license-page.tsx'),
    'LicensePage',
  ),
});
const services = createRoute({
  getParentRoute: () => signedIn,
  path: '/services',
  component: lazyRouteComponent(
    () => import('../features/services/services-page.tsx'),
    'ServicesPage',
  ),
});
const panelBackups = createRoute({
  getParentRoute: () => signedIn,
  path: '/backups',
  component: lazyRouteComponent(
    () => import('../features/panel-backups/panel-backups-page.tsx'),
    'PanelBackupsPage',
  ),
});
const audit = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit',
  validateSearch: pickParams([
    'actor',
    'action',
    'entity_type',
    'entity_id',
    'site_id',
    'from',
    'to',
    'text',
  ]),
  component: lazyRouteComponent(() => import('../features/audit/audit-page.tsx'), 'AuditPage'),
});
const rules = createRoute({
  getParentRoute: () => signedIn,
  path: '/rules',
  validateSearch: pickParams(['new', 'rule', 'delete', 'lift']),
  component: lazyRouteComponent(() => import('../features/rules/rules-page.tsx'), 'RulesPage'),
});
const users = createRoute({
  getParentRoute: () => signedIn,
  path: '/users',
  validateSearch: pickParams(['user', 'new']),
  component: lazyRouteComponent(() => import('../features/users/users-page.tsx'), 'UsersPage'),
});
const notifications = createRoute({
  getParentRoute: () => signedIn,
  path: '/notifications',
  validateSearch: pickParams(['new', 'status']),
  component: lazyRouteComponent(
    () => import('../features/notifications/notifications-page.tsx'),
    'NotificationsPage',
  ),
});
const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(
    () => import('../features/account/account-page.tsx'),
    'AccountPage',
  ),
});

const routeTree = root.addChildren([
  signIn,
  setup,
  setPassword,
  forgotPassword,
  apiDocs,
  signedIn.addChildren([
    overview,
    sites,
    site,
    connect,
    clients,
    software,
    softwareItem,
    runs,
    run,
    schedules,
    rollouts,
    rollout,
    licenses,
    license,
    services,
    panelBackups,
    rules,
    audit,
    users,
    notifications,
    account,
  ]),
]);

/** The new router starts at the current URL of the browser. */
export const createAppRouter = () =>
  createRouter({
    routeTree,
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultErrorComponent: PageError,
    scrollRestoration: true,
  });
export type AppRouter = ReturnType<typeof createAppRouter>;

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter;
  }
}
