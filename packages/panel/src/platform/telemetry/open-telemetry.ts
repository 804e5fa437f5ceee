import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Context,
  context,
  DiagLogLevel,
  diag,
  isSpanContextValid,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Logger } from '../logger.ts';
import type { OpenSpan, Span, SpanOptions, Tracing } from './tracing.ts';
import type { Sampler, TraceProtocol, TracingConfig } from './tracing-config.ts';

/** A collector that does not respond must not delay the end of the process. */
const STOP_WITHIN_MS = 2000;

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** Load this module only when tracing is on: its packages take longer to load than the rest of the panel. */
export async function createTracing(config: TracingConfig, log: Logger): Promise<Tracing> {
  const report = (reason: string) => log.warn({ reason }, 'Could not send traces.');
  const ignore = () => {};
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const contexts = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contexts);
  const provider = new TracerProvider({
    resource: createResource(config),
    sampler: createSampler(config.sampler),
    spanProcessors: [new BatchSpanProcessor({ exporter: await createExporter(config.protocol) })],
  });
  const tracer = provider.getTracer('steward', packageJson.version);

  function start(name: string, { kind, attributes = {}, parent }: SpanOptions) {
    const parentContext = parent === undefined ? context.active() : withParent(parent ?? '');
    const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, parentContext);
    return { span, active: trace.setSpan(parentContext, span) };
  }

  return {
    openSpan(name, options): OpenSpan {
      const { span, active } = start(name, options);
      return {
        ...toSpan(span),
        run: (callback) => context.with(active, callback),
        end: () => span.end(),
      };
    },

    async inSpan(name, options, run) {
      const { span, active } = start(name, options);
      try {
        return await context.with(active, () => run(toSpan(span)));
      } catch (error) {
        // The name only: a message may contain data of a site.
        toSpan(span).fail((error as Error).name);
        throw error;
      } finally {
        span.end();
      }
    },

    getTraceparent() {
      const active = trace.getSpanContext(context.active());
      if (!active || !isSpanContextValid(active)) return null;
      const flags = active.traceFlags.toString(16).padStart(2, '0');
      return `00-${active.traceId}-${active.spanId}-${flags}`;
    },

    async stop() {
      const sent = provider.shutdown().catch((error) => report(String(error)));
      const timeout = sleep(STOP_WITHIN_MS, 'timeout', { ref: false });
      if ((await Promise.race([sent, timeout])) === 'timeout') {
        report('The collector did not respond in time.');
      }
      context.disable();
      diag.disable();
    },
  };
}

function toSpan(span: OtelSpan): Span {
  return {
    setAttributes: (attributes) => void span.setAttributes(attributes),
    fail: (message) => void span.setStatus({ code: SpanStatusCode.ERROR, message }),
  };
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

function withParent(traceparent: string): Context {
  const [, traceId = '', spanId = '', flags = '00'] = TRACEPARENT.exec(traceparent) ?? [];
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const parent = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

/** The settings of the operator replace the defaults. OTEL_SERVICE_NAME takes precedence. */
function createResource({ serviceName }: TracingConfig) {
  const defaults = { 'service.name': 'steward', 'service.version': packageJson.version };
  return resourceFromAttributes(defaults)
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
    .merge(resourceFromAttributes(serviceName === null ? {} : { 'service.name': serviceName }));
}

function createSampler({ name, ratio }: Sampler) {
  const isParentBased = name.startsWith('parentbased_');
  const root = createRootSampler(name.replace('parentbased_', ''), ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

function createRootSampler(name: string, ratio: number) {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}

async function createExporter(protocol: TraceProtocol) {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}
