import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { DoneResponse, DownloadForm, ErrorBody, PanelBackupsResponse } from '@steward/contract';
import Type from 'typebox';
import { getAuditOrigin, signedInSession } from '../../http/access.ts';
import { acceptForms } from '../../http/form-body.ts';
import { fileResponse } from '../../http/openapi/file-response.ts';
import type { PanelBackupService } from './panel-backups.service.ts';

type Options = { panelBackups: PanelBackupService };

const owner = { access: 'session', permission: 'owner', tokenAction: false } as const;
/** A backup contains the data of all users and sites: a session stolen right after the sign-in is not enough. */
const download = { ...owner, confirmation: 'after_sign_in' } as const;
const errors = { '4xx': ErrorBody, '5xx': ErrorBody };
const success = true as const;
const params = Type.Object({ name: Type.String({ maxLength: 100 }) });

export const panelBackupRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { panelBackups },
) => {
  acceptForms(app);

  app.get(
    '/panel/backups',
    {
      config: { ...owner, tokenAction: 'read' },
      schema: {
        operationId: 'getPanelBackups',
        summary: 'Get the last backup of the panel and the files in the backup folder',
        response: { 200: PanelBackupsResponse, ...errors },
      },
    },
    async () => ({ success, backups: await panelBackups.view() }),
  );

  app.post(
    '/panel/backups',
    {
      config: owner,
      schema: {
        operationId: 'requestPanelBackup',
        summary:
          'Request a backup of the panel. While one is requested, a second request does nothing.',
        errorCodes: ['backups_not_configured'],
        response: { 200: PanelBackupsResponse, ...errors },
      },
    },
    async (request) => {
      await panelBackups.request(String(signedInSession(request).user.id));
      return { success, backups: await panelBackups.view() };
    },
  );

  app.get(
    '/panel/backups/:name',
    {
      config: download,
      exposeHeadRoute: false,
      schema: {
        operationId: 'checkPanelBackup',
        summary: 'Check that this panel can restore a backup, before you download it',
        errorCodes: ['backup_not_found', 'backup_unreadable'],
        params,
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      await panelBackups.check(request.params.name);
      return { success };
    },
  );

  app.post(
    '/panel/backups/:name/download',
    {
      config: { ...download, csrf: 'form' },
      schema: {
        operationId: 'downloadPanelBackup',
        summary: 'Download a backup of the panel',
        description:
          'A browser sends a form with the field `csrf_token`. The audit log records each download.',
        errorCodes: ['backup_not_found', 'backup_unreadable', 'cross_site_request'],
        params,
        body: {
          content: {
            'application/x-www-form-urlencoded': { schema: DownloadForm },
            'application/json': { schema: DownloadForm },
          },
        },
        response: { 200: fileResponse('The backup.', 'application/x-tar'), ...errors },
      },
    },
    async (request, reply) => {
      const { name } = request.params;
      const { file, bytes } = await panelBackups.open(name, getAuditOrigin(request));
      reply
        .type('application/x-tar')
        .header('content-length', bytes)
        .header('content-disposition', `attachment; filename="${name}"`);
      return reply.send(file.createReadStream({ start: 0, end: Math.max(0, bytes - 1) }));
    },
  );
};
