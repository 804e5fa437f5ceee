import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  ChangeTagsRequest,
  ChangeTagsResponse,
  ErrorBody,
  IdParams,
  SetTagsRequest,
  SiteTagsResponse,
  TagsResponse,
} from '@steward/contract';
import { getAuditOrigin, signedIn } from '../../http/access.ts';
import { IDS_BODY_LIMIT_BYTES } from '../../http/limits.ts';
import type { TagService } from './tags.service.ts';

type Options = { tags: TagService };

export const tagRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { tags }) => {
  const viewConfig = { access: 'session', permission: 'sites.view', tokenAction: 'read' } as const;
  /** A tag can give users access to its sites. Changing such a tag needs a confirmation. */
  const actConfig = {
    access: 'session',
    permission: 'sites.act',
    confirmation: 'by_request',
    tokenAction: 'sites',
  } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  app.get(
    '/panel/tags',
    {
      config: viewConfig,
      schema: {
        operationId: 'listTags',
        summary: 'List tags',
        response: { 200: TagsResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      tags: await tags.list(signedIn(request).user),
    }),
  );

  app.put(
    '/panel/sites/:id/tags',
    {
      config: actConfig,
      schema: {
        operationId: 'replaceSiteTags',
        summary: 'Replace the tags of a site',
        errorCodes: ['site_not_found'],
        params: IdParams,
        body: SetTagsRequest,
        response: { 200: SiteTagsResponse, ...errors },
      },
    },
    async (request) => {
      const { user } = signedIn(request);
      const siteId = Number(request.params.id);
      const names = await tags.replaceTags(
        user,
        siteId,
        request.body.tags,
        getAuditOrigin(request),
      );
      return { success: true as const, tags: names };
    },
  );

  app.post(
    '/panel/sites/tags',
    {
      config: actConfig,
      bodyLimit: IDS_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'changeTagsOfSites',
        summary: 'Add or remove tags on many sites',

        body: ChangeTagsRequest,
        response: { 200: ChangeTagsResponse, ...errors },
      },
    },
    (request) =>
      tags.addAndRemoveTags(signedIn(request).user, request.body, getAuditOrigin(request)),
  );
};
