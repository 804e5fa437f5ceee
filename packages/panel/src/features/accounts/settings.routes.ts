import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody, PanelSettings, PanelSettingsResponse } from '@steward/contract';
import { getAuditOrigin, signedInSession } from '../../http/access.ts';
import type { SettingsService } from './settings.service.ts';

type Options = { settings: SettingsService };

export const settingsRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { settings }) => {
  const config = { access: 'session', permission: 'owner' } as const;
  const response = { 200: PanelSettingsResponse, '4xx': ErrorBody, '5xx': ErrorBody };

  app.get(
    '/panel/settings',
    {
      config: { ...config, tokenAction: 'read' },
      schema: { operationId: 'getSettings', summary: 'Get the panel settings', response },
    },
    async () => ({
      success: true as const,
      settings: await settings.view(),
      panel: settings.getAddress(),
    }),
  );

  app.put(
    '/panel/settings',
    {
      config: { ...config, confirmation: true, tokenAction: false },
      schema: {
        operationId: 'changeSettings',
        summary: 'Change the panel settings',
        errorCodes: ['no_second_factor'],
        body: PanelSettings,
        response,
      },
    },
    async (request) => ({
      success: true as const,
      settings: await settings.update(
        signedInSession(request),
        request.body,
        getAuditOrigin(request),
      ),
      panel: settings.getAddress(),
    }),
  );
};
