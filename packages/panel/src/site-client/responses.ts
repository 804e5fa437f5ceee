import {
  BulkUpdateResponse,
  CreateLoginResponse,
  type ItemUpdateResult,
  ListLoginUsersResponse,
  type PluginActionRequest,
  PluginActionResponse,
  ProofResponse,
  SyncResponse,
  VerdictResponse,
} from '@steward/contract';
import type { Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { readCheckedPages } from './checked-pages.ts';
import { plainName, plainText } from './plain-text.ts';

/** `other_version`: the sentence of the panel if the site installed another version than the call named. */
export type PluginActionBody = Static<typeof PluginActionResponse> & { other_version?: string };
export type SyncBody = Static<typeof SyncResponse>;
export type SiteResponse = BulkUpdateResponse | PluginActionBody | SyncBody;

/** Validates the body of a successful response; null if its shape is wrong. Masks `serviceKey` in all texts. */
export type ResponseReader<Body> = (json: unknown, serviceKey: string) => Body | null;

const bulkUpdate = Compile(BulkUpdateResponse);
const pluginAction = Compile(PluginActionResponse);
const sync = Compile(SyncResponse);
const verdict = Compile(VerdictResponse);
const proof = Compile(ProofResponse);
const loginUsers = Compile(ListLoginUsersResponse);
const createdLogin = Compile(CreateLoginResponse);

/**
 * Copies known fields only and sanitizes all texts, because a site may send anything. The panel neither
 * stores nor shows a response before this step.
 */
export const readBulkUpdate: ResponseReader<BulkUpdateResponse> = (given, serviceKey) => {
  const { json, checked } = separateCheckedPages(given, serviceKey);
  if (!bulkUpdate.Check(json)) return null;
  const cleanName = (value: string) => plainName(value, serviceKey);
  const cleanText = (value: string) => plainText(value, serviceKey);
  const cleanItem = ({ slug, new_version, success, error, ...more }: ItemUpdateResult) => ({
    slug: cleanName(slug),
    new_version: cleanName(new_version),
    success,
    ...(error !== undefined && { error: cleanText(error) }),
    ...(more.code !== undefined && { code: cleanName(more.code) }),
    ...(more.verified === false && { verified: false }),
    ...(more.name !== undefined && { name: cleanName(more.name) }),
    ...(more.old_version !== undefined && { old_version: cleanName(more.old_version) }),
    ...(more.new_plugin !== undefined && { new_plugin: cleanName(more.new_plugin) }),
    ...(more.rolled_back === true && { rolled_back: true }),
  });
  const { plugins, themes, core, translations } = json.results;
  return {
    success: json.success,
    results: {
      plugins: plugins.map(cleanItem),
      themes: themes.map(cleanItem),
      core: core && {
        new_version: cleanName(core.new_version),
        success: core.success,
        ...(core.code !== undefined && { code: cleanName(core.code) }),
        ...(core.verified === false && { verified: false }),
        ...(core.old_version !== undefined && { old_version: cleanName(core.old_version) }),
      },
      ...(translations && { translations: translations.map(cleanItem) }),
    },
    errors: json.errors.map(({ type, slug, error }) => ({
      type,
      slug: slug === null ? null : cleanName(slug),
      error: cleanText(error),
    })),
    ...(checked && { checked }),
    ...(json.awaiting_verdict && { awaiting_verdict: json.awaiting_verdict }),
  };
};

/** Reads `checked` alone, because a malformed one must not make the whole response invalid. */
function separateCheckedPages(json: unknown, serviceKey: string) {
  if (json === null || typeof json !== 'object') return { json, checked: undefined };
  const { checked, ...rest } = json as { checked?: unknown };
  return { json: rest as unknown, checked: readCheckedPages(checked, serviceKey) };
}

/**
 * The response must contain the same action and plugin as the request. Otherwise it may be a cached response to another
 * request.
 */
export function readPluginAction(request: PluginActionRequest): ResponseReader<PluginActionBody> {
  return (given, serviceKey) => {
    const { json, checked } = separateCheckedPages(given, serviceKey);
    if (!pluginAction.Check(json)) return null;
    if (json.action !== request.action || json.plugin !== request.plugin) return null;
    const { verified, warnings, new_plugin, awaiting_verdict } = json;
    return {
      success: true,
      action: request.action,
      plugin: request.plugin,
      ...(verified === false && { verified }),
      ...(warnings && { warnings: warnings.map((text) => plainText(text, serviceKey)) }),
      ...(new_plugin !== undefined && { new_plugin: plainName(new_plugin, serviceKey) }),
      ...(checked && { checked }),
      ...(awaiting_verdict && { awaiting_verdict }),
    };
  };
}

export const readSync: ResponseReader<SyncBody> = (json) =>
  sync.Check(json) ? { success: true } : null;

export type VerdictBody = Static<typeof VerdictResponse>;
export const readVerdict: ResponseReader<VerdictBody> = (json) =>
  verdict.Check(json) ? { success: true, restored: json.restored } : null;

export type ProofBody = Static<typeof ProofResponse>;
export const readProof: ResponseReader<ProofBody> = (json) =>
  proof.Check(json) ? { success: true, proof: json.proof } : null;

export const readLoginUsers: ResponseReader<ListLoginUsersResponse> = (json, serviceKey) => {
  if (!loginUsers.Check(json)) return null;
  const clean = (value: string) => plainName(value, serviceKey);
  const users = json.users.map(({ id, login, name, role }) => ({
    id,
    login: clean(login),
    name: clean(name),
    role: clean(role),
  }));
  return { success: true, users };
};

export const readCreatedLogin: ResponseReader<CreateLoginResponse> = (json, serviceKey) => {
  if (!createdLogin.Check(json)) return null;
  const { login, url, token } = json;
  return { success: true, login: plainName(login, serviceKey), url, token };
};
