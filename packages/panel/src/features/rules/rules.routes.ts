import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  ChangeRuleRequest,
  CreateRuleRequest,
  DoneResponse,
  ErrorBody,
  IdParams,
  LiftQuarantineRequest,
  QuarantineListResponse,
  QuarantineRequest,
  QuarantineResponse,
  RulePreviewResponse,
  RuleResponse,
  RulesResponse,
  RuleTargetRequest,
} from '@steward/contract';
import { getAuditOrigin } from '../../http/access.ts';
import type { QuarantineService } from './quarantine.service.ts';
import type { RuleService } from './rules.service.ts';

type Options = { rules: RuleService; quarantine: QuarantineService };

const config = { access: 'session', permission: 'owner', tokenAction: 'rules' } as const;
const readConfig = { ...config, tokenAction: 'read' } as const;
const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

export const ruleRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { rules } = options;
  await app.register(quarantineRoutes, options);

  app.get(
    '/panel/rules',
    {
      config: readConfig,
      schema: {
        operationId: 'listRules',
        summary: 'List the rules',
        response: { 200: RulesResponse, ...errors },
      },
    },
    async () => ({ success: true as const, rules: await rules.list() }),
  );

  app.post(
    '/panel/rules',
    {
      config,
      schema: {
        operationId: 'createRule',
        summary: 'Create a rule',
        errorCodes: [
          'site_not_found',
          'software_not_found',
          'tag_not_found',
          'rule_exists',
          'too_many_rules',
        ],
        body: CreateRuleRequest,
        response: { 200: RuleResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      rule: await rules.create(request.body, getAuditOrigin(request)),
    }),
  );

  app.post(
    '/panel/rules/preview',
    {
      config: readConfig,
      schema: {
        operationId: 'previewRule',
        summary: 'Count the sites that a rule would concern',
        errorCodes: ['site_not_found', 'software_not_found', 'tag_not_found'],
        body: RuleTargetRequest,
        response: { 200: RulePreviewResponse, ...errors },
      },
    },
    async ({ body }) => ({ success: true as const, sites: await rules.countSites(body) }),
  );

  app.patch(
    '/panel/rules/:id',
    {
      config,
      schema: {
        operationId: 'changeRule',
        summary: 'Change the values or the note of a rule',
        errorCodes: ['rule_not_found', 'rule_changed', 'rule_exists'],
        params: IdParams,
        body: ChangeRuleRequest,
        response: { 200: RuleResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      rule: await rules.change(Number(request.params.id), request.body, getAuditOrigin(request)),
    }),
  );

  app.delete(
    '/panel/rules/:id',
    {
      config,
      schema: {
        operationId: 'deleteRule',
        summary: 'Delete a rule',
        errorCodes: ['rule_not_found'],
        params: IdParams,
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      await rules.remove(Number(request.params.id), getAuditOrigin(request));
      return { success: true as const };
    },
  );
};

const quarantineRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { quarantine }) => {
  app.get(
    '/panel/quarantine',
    {
      config: readConfig,
      schema: {
        operationId: 'listQuarantinedVersions',
        summary: 'List the quarantined versions',
        response: { 200: QuarantineListResponse, ...errors },
      },
    },
    async () => ({ success: true as const, quarantined_versions: await quarantine.list() }),
  );

  app.post(
    '/panel/quarantine',
    {
      config,
      schema: {
        operationId: 'quarantineVersion',
        summary: 'Quarantine a version',
        errorCodes: ['software_not_found', 'already_quarantined', 'too_many_rules'],
        body: QuarantineRequest,
        response: { 200: QuarantineResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      quarantined_version: await quarantine.add(request.body, getAuditOrigin(request)),
    }),
  );

  app.post(
    '/panel/quarantine/:id/lift',
    {
      config,
      schema: {
        operationId: 'liftQuarantine',
        summary: 'Lift the quarantine of a version',
        errorCodes: ['quarantine_not_found', 'quarantine_lifted'],
        params: IdParams,
        body: LiftQuarantineRequest,
        response: { 200: QuarantineResponse, ...errors },
      },
    },
    async (request) => {
      const { id } = request.params;
      const { reason } = request.body;
      const lifted = await quarantine.lift(Number(id), reason, getAuditOrigin(request));
      return { success: true as const, quarantined_version: lifted };
    },
  );
};
