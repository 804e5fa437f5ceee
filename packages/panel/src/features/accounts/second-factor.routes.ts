import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  BackupCodesResponse,
  DoneResponse,
  ErrorBody,
  SecondFactorRequest,
  SecondFactorsResponse,
  TotpSetupResponse,
} from '@steward/contract';
import { getAuditOrigin, signedInSession } from '../../http/access.ts';
import type { SecondFactorService } from './second-factor.service.ts';

type Options = { secondFactors: SecondFactorService };

/** The user's own second factors. */
export const secondFactorRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { secondFactors } = options;
  const config = { access: 'session', permission: 'account', tokenAction: false } as const;
  // A stolen session must not be able to add or remove a second factor.
  const confirmed = { ...config, confirmation: true } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  app.get(
    '/panel/account/second-factors',
    {
      config,
      schema: {
        operationId: 'listSecondFactors',
        summary: 'Get your second factors',
        response: { 200: SecondFactorsResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      second_factors: await secondFactors.view(signedInSession(request).user.id),
    }),
  );

  app.post(
    '/panel/account/totp',
    {
      config: confirmed,
      schema: {
        operationId: 'startTotpSetup',
        summary: 'Start to set up an authenticator app',
        errorCodes: ['second_factor_exists'],
        response: { 200: TotpSetupResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      totp: await secondFactors.beginTotp(signedInSession(request), getAuditOrigin(request)),
    }),
  );

  app.post(
    '/panel/account/totp/activate',
    {
      config: confirmed,
      schema: {
        operationId: 'activateTotp',
        summary: 'Activate the authenticator app with a one-time code; returns backup codes',
        errorCodes: ['wrong_code'],
        body: SecondFactorRequest,
        response: { 200: BackupCodesResponse, ...errors },
      },
    },
    async (request) => {
      const { code } = request.body;
      const origin = getAuditOrigin(request);
      const backup_codes = await secondFactors.activateTotp(signedInSession(request), code, origin);
      return { success: true as const, backup_codes };
    },
  );

  app.delete(
    '/panel/account/totp',
    {
      config: confirmed,
      schema: {
        operationId: 'removeTotp',
        summary: 'Remove your authenticator app',
        errorCodes: ['no_second_factor', 'last_second_factor'],
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      await secondFactors.removeTotp(signedInSession(request), getAuditOrigin(request));
      return { success: true as const };
    },
  );

  app.post(
    '/panel/account/backup-codes',
    {
      config: confirmed,
      schema: {
        operationId: 'createBackupCodes',
        summary: 'Create new backup codes; the previous ones stop working',
        errorCodes: ['no_second_factor'],
        response: { 200: BackupCodesResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      backup_codes: await secondFactors.makeBackupCodes(
        signedInSession(request),
        getAuditOrigin(request),
      ),
    }),
  );
};
