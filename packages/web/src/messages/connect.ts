/** How a site connects to the panel: with the WordPress plugin or with the agent. */
export const connectMessages = {
  title: 'Connect a site',
  noFreeSeats:
    'This license has no free seats. Disconnect a site or raise the site limit first. Sites on a local ' +
    'or staging address can still connect.',
  waiting: 'Waiting for the site to connect',
  /** Follows the name of the site. */
  isConnected: 'is connected',

  wordpress: {
    tab: 'WordPress',
    download: 'Download the plugin. It is already configured for this panel.',
    downloadButton: 'Download plugin',
    openPlugins: 'In WordPress, upload it under',
    pluginsMenu: 'Plugins → Add New → Upload',
    openSettings: ', activate it, then open',
    settingsMenu: 'Settings → Steward',
    pasteKey: 'Paste the license key and press',
    connectButton: 'Connect',
    endOfSentence: '.',
  },

  agent: {
    tab: 'Other CMS (agent)',
    install:
      'Copy the Steward repository, which contains the agent, to the server of the site. In the copied folder, run:',
    installLabel: 'Command to install the agent',
    installCommand: 'npm ci',
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
    keyPlaceholder: 'YOUR-LICENSE-KEY',
    // Without --no-install, npx could send the key to a package of this name in a registry.
    startCommand: (licenseKey: string, panelUrl: string) =>
      `LICENSE_KEY=${licenseKey} npx --no-install steward-agent --root ./site --feed ./feed ` +
      `--site-url http://127.0.0.1:8090 --panel ${panelUrl}`,
    keepRunning:
      'Keep the agent running. Later starts need only --root and --feed, and --host and --port if you changed them.',
  },
} as const;
