import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  CreateEnrolmentCodesRequest,
  DoneResponse,
  EnrolmentCodesResponse,
  ErrorBody,
  IdParams,
  LicenseErrorBody,
  NewEnrolmentCodesResponse,
} from '@steward/contract';
import { getAuditOrigin } from '../../http/access.ts';
import type { EnrolmentCodeService } from './enrolment-codes.service.ts';

type Options = { enrolmentCodes: EnrolmentCodeService };

const session = { access: 'session', permission: 'owner' } as const;
/** A code connects a site, like the license key. */
const config = { ...session, confirmation: true, tokenAction: 'licenses' } as const;
const errors = { '4xx': LicenseErrorBody, '5xx': ErrorBody };

export const enrolmentCodeRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { enrolmentCodes },
) => {
  app.post(
    '/panel/licenses/:id/enrolment-codes',
    {
      config,
      schema: {
        operationId: 'createEnrolmentCodes',
        summary: 'Create enrolment codes and return them once',
        errorCodes: ['not_found', 'license_revoked'],
        params: IdParams,
        body: CreateEnrolmentCodesRequest,
        response: { 200: NewEnrolmentCodesResponse, ...errors },
      },
    },
    async (request) => {
      const [id, count] = [Number(request.params.id), request.body.count ?? 1];
      const codes = await enrolmentCodes.create(id, count, getAuditOrigin(request));
      return { success: true as const, enrolment_codes: codes };
    },
  );

  app.get(
    '/panel/licenses/:id/enrolment-codes',
    {
      config: { ...session, tokenAction: 'read' },
      schema: {
        operationId: 'listEnrolmentCodes',
        summary: 'List the newest enrolment codes of a license',
        errorCodes: ['not_found'],
        params: IdParams,
        response: { 200: EnrolmentCodesResponse, ...errors },
      },
    },
    async ({ params }) => ({
      success: true as const,
      enrolment_codes: await enrolmentCodes.list(Number(params.id)),
    }),
  );

  app.delete(
    '/panel/enrolment-codes/:id',
    {
      config,
      schema: {
        operationId: 'revokeEnrolmentCode',
        summary: 'Revoke an enrolment code',
        errorCodes: ['not_found'],
        params: IdParams,
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      await enrolmentCodes.revoke(Number(request.params.id), getAuditOrigin(request));
      return { success: true as const };
    },
  );
};
