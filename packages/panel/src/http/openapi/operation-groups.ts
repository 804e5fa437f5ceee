/** The groups of operations in the API description, in the order of the page. The first matching pattern counts. */
const GROUPS: readonly { name: string; description: string; paths?: RegExp }[] = [
  {
    name: 'Site API',
    description:
      'The endpoints of a connected site. Only the panel calls them. The server is the site, not the panel.',
  },
  {
    name: 'Remote actions',
    description: 'Updates, plugin actions, installations and syncs on sites, and their previews.',
    paths:
      /^\/(remote\/|panel\/sites\/(preflight$|update-(preview|summary)$|(sync|plugin-action|install|restore|self-update)(-preview)?$))/,
  },
  {
    name: 'License service',
    description:
      'Calls of a site to the panel. The license key or site key in the body authenticates the site.',
    paths: /^\/api\/v1\/(license|site|services)/,
  },
  {
    name: 'Downloads',
    description: 'The WordPress plugin and uploaded packages. A link or code authenticates a site.',
    paths: /^\/(api\/v1\/(plugin|packages)|panel\/plugin\.zip)/,
  },
  {
    name: 'Sign-in',
    description: 'Sessions, the confirmation of identity, and one-time links.',
    paths:
      /^\/(auth\/|panel\/(setup|set-password|request-password-reset|sign-in-options|sessions?)\b)/,
  },
  {
    name: 'Account',
    description: 'The signed-in user: profile, second factors and e-mail settings.',
    paths: /^\/panel\/account/,
  },
  {
    name: 'Sites',
    description: 'Connected sites, their state, history and tags.',
    paths: /^\/panel\/(sites|tags)/,
  },
  {
    name: 'Clients',
    description: 'Whom the sites belong to.',
    paths: /^\/panel\/clients/,
  },
  {
    name: 'Runs',
    description: 'A run is one request for one or many sites. It has one task per site.',
    paths: /^\/panel\/runs/,
  },
  {
    name: 'Rollouts',
    description: 'Updates of many sites, ring by ring.',
    paths: /^\/panel\/rollouts/,
  },
  {
    name: 'Schedules',
    description: 'Updates that start by themselves.',
    paths: /^\/panel\/schedules/,
  },
  {
    name: 'Rules',
    description: 'Rules that hold updates back, and quarantined versions.',
    paths: /^\/panel\/(rules|quarantine)/,
  },
  {
    name: 'Software',
    description: 'Plugins, themes and core versions of all sites.',
    paths: /^\/panel\/(software|overview)/,
  },
  {
    name: 'Packages',
    description: 'Uploaded zip files of plugins and themes.',
    paths: /^\/panel\/packages/,
  },
  {
    name: 'Licenses',
    description: 'Licenses, their keys, plans and enrolment codes.',
    paths: /^\/panel\/(licenses|plans|enrolment-codes)/,
  },
  {
    name: 'Notifications',
    description: 'Channels, deliveries and the mail server.',
    paths: /^\/panel\/(notification-|mail)/,
  },
  {
    name: 'Users',
    description: 'Users and their access to sites.',
    paths: /^\/panel\/users/,
  },
  {
    name: 'Panel',
    description: 'Settings, audit log, backups and monitoring.',
    paths: /^\/(panel\/(settings|audit|backups)|healthz|readyz|openapi\.json)/,
  },
];

export const SITE_API_GROUP = 'Site API';

export const TAGS = GROUPS.map(({ name, description }) => ({ name, description }));

export function findGroup(url: string): string {
  const group = GROUPS.find(({ paths }) => paths?.test(url));
  if (!group) throw new Error(`${url} belongs to no group of the API description.`);
  return group.name;
}
