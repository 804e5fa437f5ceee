import Type from 'typebox';
import { nullable, stringEnum, timestamp, trueOnly } from './common.ts';

/** The backups of the panel itself, for its owners. */

/** `no_worker`: requested, but no worker with a backup folder works on it. */
export const BACKUP_ACTIVITIES = ['idle', 'queued', 'running', 'no_worker'] as const;
export type BackupActivity = (typeof BACKUP_ACTIVITIES)[number];

/** A failed backup has a reason and no file. */
export type PanelBackupResult = {
  at: string;
  succeeded: boolean;
  file: string | null;
  bytes: number | null;
  reason: string | null;
};

export const PanelBackups = Type.Object({
  folder: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'BACKUP_FOLDER. Null: not set.',
  }),
  every_hours: nullable.integer(),
  kept: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'How many scheduled backups are kept.',
  }),
  folder_problem: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Why the panel cannot read the folder.',
  }),
  activity: stringEnum(BACKUP_ACTIVITIES),
  last: Type.Unsafe<PanelBackupResult | null>({
    type: ['object', 'null'],
    properties: {
      at: timestamp(),
      succeeded: Type.Boolean({ description: 'Whether the file was written and read back.' }),
      file: nullable.string(),
      bytes: nullable.integer(),
      reason: nullable.string(),
    },
    required: ['at', 'succeeded', 'file', 'bytes', 'reason'],
    description: 'The last scheduled or requested backup.',
  }),
  files: Type.Array(
    Type.Object({
      name: Type.String(),
      bytes: Type.Integer(),
      kind: stringEnum(['scheduled', 'requested']),
      created_at: timestamp(),
    }),
    { description: 'The files in the folder, newest first, at most 100.' },
  ),
});
export type PanelBackups = Type.Static<typeof PanelBackups>;

export const PanelBackupsResponse = Type.Object({ success: trueOnly(), backups: PanelBackups });

/** The body of `POST /panel/backups/:name/download`. A client that is no browser sends the token in the header. */
export const DownloadForm = Type.Object({ csrf_token: Type.Optional(Type.String()) });
