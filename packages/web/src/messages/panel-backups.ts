import type { BackupActivity, PanelBackups } from '@steward/contract';

type Kind = PanelBackups['files'][number]['kind'];

export const panelBackupsMessages = {
  title: 'Backups',
  note: 'Of this panel. Backups of your sites are on the page of each site',
  backUp: 'Back up now',
  notConfigured: {
    title: 'No backup folder',
    text: 'Set BACKUP_FOLDER on the server of the panel, then restart Steward. Until then, run this command there:',
    command: 'npx steward backup FILE',
    blocked: 'Set BACKUP_FOLDER on the server of the panel first, then restart Steward.',
  },
  folderProblem: {
    title: 'The backup folder cannot be read',
    text: (problem: string) =>
      `${problem} Steward cannot list or download backups until the process of the panel can read it.`,
  },
  busy: 'Wait until the requested backup has finished.',
  activity: {
    idle: null,
    queued: 'Queued. A worker starts the backup within a minute.',
    running: 'Backup running. You can leave this page.',
    no_worker:
      'No worker is creating the backup. Start a worker with BACKUP_FOLDER, or look at its log. The request expires after a day.',
  } satisfies Record<BackupActivity, string | null>,
  facts: {
    last: 'Last backup',
    none: 'None yet',
    readable: 'Created and read back',
    failed: 'Failed',
    retry: 'Correct the cause, then back up again.',
    size: 'Size',
    folder: 'Folder',
    schedule: 'Schedule',
  },
  schedule: (hours: number, kept: number) =>
    `Every ${hours === 1 ? 'hour' : `${hours} hours`}; the newest ${kept} and the newest 3 requested ones are kept`,
  files: {
    title: 'Files',
    emptyTitle: 'The folder contains no backup of this panel.',
    empty: 'Choose “Back up now”. The file appears here.',
    contents:
      'A backup contains all data of the panel: users with e-mail addresses and password hashes, clients, sites and the audit log. License keys, site keys and other secrets in it are encrypted. The secret that decrypts them is not in the file, and a restore needs it: store SECRET_KEY or secret.key in another place.',
    columns: { created: 'Created', size: 'Size', kind: 'Started by', actions: 'Actions' },
    kinds: { scheduled: 'Schedule', requested: 'Owner' } satisfies Record<Kind, string>,
    download: 'Download',
    downloadOf: (name: string) => `Download ${name}`,
  },
} as const;
