import {
  BulkUpdateResponse,
  type ItemUpdateResult,
  type PluginActionRequest,
  PluginActionResponse,
  ProofResponse,
  SyncResponse,
  VerdictResponse,
} from '@steward/contract';
import type { Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { plainName, plainText } from './plain-text.ts';

export type PluginActionAnswer = Static<typeof PluginActionResponse>;
export type SyncAnswer = Static<typeof SyncResponse>;
export type SiteAnswer = BulkUpdateResponse | PluginActionAnswer | SyncAnswer;

/** Takes a success of the right shape; null: it has another. */
export type AnswerReader<Body> = (json: unknown, serviceKey: string) => Body | null;

const bulkUpdate = Compile(BulkUpdateResponse);
const pluginAction = Compile(PluginActionResponse);
const sync = Compile(SyncResponse);
const verdict = Compile(VerdictResponse);
const proof = Compile(ProofResponse);

/**
 * Field by field: what a site adds of its own is left behind, and its texts are made plain before
 * anybody stores or shows them.
 */
export const readBulkUpdate: AnswerReader<BulkUpdateResponse> = (json, serviceKey) => {
  if (!bulkUpdate.Check(json)) return null;
  const name = (value: string) => plainName(value, serviceKey);
  const text = (value: string) => plainText(value, serviceKey);
  const item = ({ slug, new_version, success, error, ...more }: ItemUpdateResult) => ({
    slug: name(slug),
    new_version: name(new_version),
    success,
    ...(error !== undefined && { error: text(error) }),
    ...(more.verified === false && { verified: false }),
    ...(more.old_version !== undefined && { old_version: name(more.old_version) }),
    ...(more.new_plugin !== undefined && { new_plugin: name(more.new_plugin) }),
  });
  const { plugins, themes, core } = json.results;
  return {
    success: json.success,
    results: {
      plugins: plugins.map(item),
      themes: themes.map(item),
      core: core && {
        new_version: name(core.new_version),
        success: core.success,
        ...(core.verified === false && { verified: false }),
      },
    },
    errors: json.errors.map(({ type, slug, error }) => ({
      type,
      slug: slug === null ? null : name(slug),
      error: text(error),
    })),
    ...(json.awaiting_verdict && { awaiting_verdict: json.awaiting_verdict }),
  };
};

/** It must say back what was asked: an answer about something else, from a cache perhaps, is none. */
export function readPluginAction(asked: PluginActionRequest): AnswerReader<PluginActionAnswer> {
  return (json, serviceKey) => {
    if (!pluginAction.Check(json)) return null;
    if (json.action !== asked.action || json.plugin !== asked.plugin) return null;
    const { verified, warnings, new_plugin, awaiting_verdict } = json;
    return {
      success: true,
      action: asked.action,
      plugin: asked.plugin,
      ...(verified === false && { verified }),
      ...(warnings && { warnings: warnings.map((text) => plainText(text, serviceKey)) }),
      ...(new_plugin !== undefined && { new_plugin: plainName(new_plugin, serviceKey) }),
      ...(awaiting_verdict && { awaiting_verdict }),
    };
  };
}

export const readSync: AnswerReader<SyncAnswer> = (json) =>
  sync.Check(json) ? { success: true } : null;

export type VerdictAnswer = Static<typeof VerdictResponse>;
export const readVerdict: AnswerReader<VerdictAnswer> = (json) =>
  verdict.Check(json) ? { success: true, restored: json.restored } : null;

export type ProofAnswer = Static<typeof ProofResponse>;
export const readProof: AnswerReader<ProofAnswer> = (json) =>
  proof.Check(json) ? { success: true, proof: json.proof } : null;
