import { ENROLMENT_CODES_MAX } from '@steward/contract';
import { count, formatNumber } from '../lib/format.ts';

/** The page that connects many sites. */
export const connectManyMessages = {
  title: 'Connect many sites',
  note: 'Paste the addresses of your sites. Steward creates a code for each, and shows which have connected.',
  link: 'Connect many sites',
  addresses: 'Addresses of the sites',
  addressesHint:
    'One per line. The lines of a CSV file work too, such as the list of sites that MainWP exports.',
  placeholder: 'https://shop.example.com',
  readFile: 'Read a CSV file',
  found: (sites: number) => `${count(sites, 'address', 'addresses')} found.`,
  invalid: (lines: string[]) =>
    `${count(lines.length, 'line has', 'lines have')} no address: ${lines.slice(0, 3).join(', ')}${lines.length > 3 ? ', …' : ''}`,
  tooMany: `Enter at most ${ENROLMENT_CODES_MAX} addresses at once. Connect the other sites after these.`,
  fewSeats: (free: number) =>
    `The license has ${count(free, 'free seat')}. The other sites are refused, unless you raise its site limit.`,
  create: (sites: number) => (sites === 0 ? 'Create codes' : `Create ${count(sites, 'code')}`),
  nothing: 'Enter the address of at least one site.',
  codes: {
    title: 'Connect each site',
    note: 'Use the codes before you leave this page.',
    wpCli: 'With WP-CLI: run each command in the folder of its site.',
    wpCliLabel: 'WP-CLI commands, one per site',
    /** A comment names the site: the command of another site would connect this one too. */
    wpCliLines: (command: string, address: string) => `# ${address}\n${command}`,
    zip: 'Without WP-CLI: download the plugin for each site, and upload it in WordPress under',
    connected: (connected: number, sites: number) =>
      `${formatNumber(connected)} of ${count(sites, 'site')} connected`,
    another: 'Connect other sites',
  },
  columns: { address: 'Site', state: 'State', plugin: 'Plugin' },
  download: 'Download plugin',
  downloadFor: (address: string) => `Download plugin for ${address}`,
  waiting: 'Waiting',
  expired: 'Code expired',
  isConnected: 'Connected',
  connectedAs: 'Connected as',
} as const;
