import { type PanelReach, UNCOUNTED_SITES_PER_SEAT } from '@steward/contract';
import { formatNumber } from '../lib/format.ts';

/** How a site connects to the panel: with the WordPress plugin or with the agent. */
export const connectMessages = {
  title: 'Connect a site',
  createTitle: 'Create a license first',
  createHint: 'A license sets how many sites can connect.',
  close: 'Close',
  license: 'License',
  licensePlaceholder: 'Name, customer, plan or last 6 of key',
  newLicense: 'New license',
  chooseLicense: 'Choose a license, or create one.',
  notValid:
    'This license is suspended, expired or revoked, so sites cannot connect with it. Use another license.',
  noFreeSeats:
    'This license has no free seats. Disconnect a site or raise the site limit first. Sites on a local ' +
    `or staging address can still connect, up to ${UNCOUNTED_SITES_PER_SEAT} for each seat.`,
  waiting: 'Waiting for the site to connect',
  /** Follows the name of the site. */
  isConnected: 'is connected',

  reach: {
    title: (url: string) => `The address of this panel is ${url}`,
    local:
      'Sites on the internet cannot reach it: only sites on the same machine can connect or, unless it is localhost, in the same network. Start ' +
      'Steward with BASE_URL set to a public https address.',
    not_https:
      'Sites would send their keys without encryption. Set up HTTPS and start Steward with BASE_URL set to the https ' +
      'address.',
  } satisfies Record<Exclude<PanelReach, 'public'>, string> & { title: (url: string) => string },

  codes: {
    valid: (codes: number, until: string) =>
      codes === 1
        ? `The code connects one site and is valid until ${until}. Steward does not show it again.`
        : `Each code connects one site and is valid until ${until}. Steward does not show the codes again.`,
    createAnother: 'Create another',
  },

  zip: {
    tab: 'Plugin zip',
    download:
      'Download the plugin for one site. It contains the address of this panel and a code that works once.',
    downloadButton: 'Download plugin',
    downloadAnother: 'Download for another site',
    openPlugins: 'In WordPress, upload it under',
    pluginsMenu: 'Plugins → Add New → Upload Plugin',
    activate: 'and activate it. The site connects by itself.',
  },

  wpCli: {
    tab: 'WP-CLI',
    create: 'Create a command that installs the plugin. It contains a code that works once.',
    createButton: 'Create command',
    run: 'Run this command in the folder of the site. The site connects by itself.',
    label: 'WP-CLI command',
    command: (pluginUrl: string) => `wp plugin install '${pluginUrl}' --activate`,
    privateAddress:
      'WordPress downloads only from public addresses, on port 80, 443 or 8080. If this panel has a private address or another port, use the plugin zip.',
  },

  constants: {
    tab: 'wp-config.php',
    create: 'Create one code for each site.',
    sites: 'Number of sites',
    createButton: (codes: number) =>
      codes === 1 ? 'Create code' : `Create ${formatNumber(codes)} codes`,
    invalidNumber: (max: number) => `Enter a whole number from 1 to ${formatNumber(max)}.`,
    add: 'Add these lines to wp-config.php, above "That\'s all, stop editing!".',
    addSeveral:
      'Add these lines to wp-config.php of each site, with a different code on each site.',
    linesLabel: 'Lines for wp-config.php',
    codesLabel: 'Enrolment codes, one per line',
    codePlaceholder: 'ONE-CODE-FROM-THE-LIST',
    lines: (panelUrl: string, code: string) =>
      `define( 'STEWARD_PANEL_URL', '${panelUrl}' );\ndefine( 'STEWARD_ENROLMENT_CODE', '${code}' );`,
    install:
      'Install and activate the Steward plugin on the site. The site connects by itself. If the plugin is already active, ' +
      'the site connects a few minutes after the next visitor opens it.',
    downloadButton: 'Download plugin without code',
  },

  agent: {
    tab: 'Other CMS',
    install:
      'Sites with another CMS connect with the Steward agent. Copy the Steward repository, which contains it, to the ' +
      'server of the site. In the copied folder, run:',
    installLabel: 'Command to install the agent',
    installCommand: 'npm ci',
    create: 'Create a code that connects one site.',
    createButton: 'Create code',
    start: 'Start the agent in the same folder. Adjust these options first:',
    options: [
      { name: '--root', meaning: 'the folder that contains plugins, themes and core of the site' },
      {
        name: '--feed',
        meaning:
          'the folder or URL with your update packages and their list, feed.json (see docs/agent.md)',
      },
      { name: '--site-url', meaning: 'the address at which Steward reaches the agent' },
      { name: '--host, --port', meaning: 'where the agent listens, by default 127.0.0.1 and 8090' },
    ],
    startLabel: 'Command to start the agent',
    codePlaceholder: 'YOUR-CODE',
    // The agent accepts an enrolment code as LICENSE_KEY. Without --no-install, npx could download a foreign package of this name, which would then get the enrolment code.
    startCommand: (code: string, panelUrl: string) =>
      [
        `LICENSE_KEY=${code} npx --no-install steward-agent`,
        '--root ./site --feed ./feed',
        '--site-url http://127.0.0.1:8090',
        `--panel ${panelUrl}`,
      ].join(' \\\n  '),
    keepRunning:
      'Keep the agent running. Later starts need only --root and --feed, and --host and --port if you changed them.',
  },
} as const;
