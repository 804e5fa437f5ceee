import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  AUDIT_PAGE_SIZE,
  AUDIT_PAGE_SIZE_MAX,
  AuditExportQuery,
  type AuditFilterQuery,
  AuditQuery,
  AuditResponse,
  ErrorBody,
} from '@steward/contract';
import type { FastifyContextConfig } from 'fastify';
import { fileResponse } from '../../http/openapi/file-response.ts';
import { CSV_TYPE } from '../../http/send-csv.ts';
import { AppError } from '../../platform/app-error.ts';
import type { AuditFilter, AuditLog } from './audit-log.service.ts';

type Options = {
  auditLog: AuditLog;
  /** The permission to read the whole audit log, which covers all sites and users. */
  config: FastifyContextConfig;
};

const CONTENT_TYPES = {
  csv: CSV_TYPE,
  jsonl: 'application/jsonl; charset=utf-8',
};

export const auditRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { auditLog, config } = options;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  app.get(
    '/panel/audit',
    {
      config,
      schema: {
        operationId: 'listAuditRecords',
        summary: 'Read the audit log, newest first',
        querystring: AuditQuery,
        response: { 200: AuditResponse, ...errors },
      },
    },
    async ({ query }) => {
      const before = query.before === undefined ? undefined : Number(query.before);
      const limit = Math.min(Number(query.limit ?? AUDIT_PAGE_SIZE), AUDIT_PAGE_SIZE_MAX);
      const page = await auditLog.list(toFilter(query), { before, limit });
      const names = await auditLog.listNames(page.records);
      const complete_from = await auditLog.findCompleteFrom();
      return { success: true as const, ...page, names, complete_from };
    },
  );

  app.get(
    '/panel/audit/export',
    {
      config,
      // A HEAD request would read the whole log and discard it.
      exposeHeadRoute: false,
      schema: {
        operationId: 'exportAuditLog',
        summary: 'Download the audit log',
        querystring: AuditExportQuery,
        response: {
          200: fileResponse('The audit log, newest record first.', 'text/csv', 'application/jsonl'),
          ...errors,
        },
      },
    },
    async (request, reply) => {
      const { format, ...query } = request.query;
      reply
        .type(CONTENT_TYPES[format])
        .header('content-disposition', `attachment; filename="audit-log.${format}"`);
      return Readable.from(auditLog.export(toFilter(query), format));
    },
  );
};

function toFilter(query: AuditFilterQuery): AuditFilter {
  return {
    actor: query.actor,
    action: query.action,
    entityType: query.entity_type,
    entityId: query.entity_id,
    siteId: query.site_id === undefined ? undefined : Number(query.site_id),
    from: parseTime('from', query.from),
    to: parseTime('to', query.to),
    text: query.text,
  };
}

/** The schema accepts leap seconds; JavaScript does not. */
function parseTime(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time;
  throw new AppError('invalid_request', { message: `${field} must be a valid date and time.` });
}
