export type TraceProtocol = 'http/protobuf' | 'http/json';
export type Sampler = { name: string; ratio: number };

/** From the standard variables of OpenTelemetry. The exporter itself reads addresses, headers and time limits. */
export type TracingConfig = Readonly<{
  /** Null: `service.name` of OTEL_RESOURCE_ATTRIBUTES, or `steward`. */
  serviceName: string | null;
  protocol: TraceProtocol;
  sampler: Sampler;
}>;

export type ReadSetting = <T>(
  name: string,
  fallback: T,
  parse: (text: string) => T | undefined,
  hint: string,
) => T;

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
];
const DEFAULT_SAMPLER = 'parentbased_always_on';
const PROTOCOLS: TraceProtocol[] = ['http/protobuf', 'http/json'];

/** Null without an address to send traces to, or if tracing is disabled. */
export function readTracingConfig(read: ReadSetting): TracingConfig | null {
  const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].map(
    (name) => read<string | null>(name, null, parseEndpoint, 'must be an http or https URL'),
  );
  const isDisabled = read('OTEL_SDK_DISABLED', false, (text) => text.toLowerCase() === 'true', '');
  const serviceName = read<string | null>('OTEL_SERVICE_NAME', null, (text) => text, '');
  const protocol = read<TraceProtocol>(
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'http/protobuf',
    (text) => PROTOCOLS.find((known) => known === text),
    `must be one of ${PROTOCOLS.join(', ')}`,
  );
  const name = read(
    'OTEL_TRACES_SAMPLER',
    DEFAULT_SAMPLER,
    (text) => SAMPLERS.find((known) => known === text),
    `must be one of ${SAMPLERS.join(', ')}`,
  );
  const ratio = read(
    'OTEL_TRACES_SAMPLER_ARG',
    1,
    parseRatio,
    'must be a number from 0 to 1, such as 0.1',
  );
  if (isDisabled || endpoints.every((endpoint) => endpoint === null)) return null;
  return Object.freeze({ serviceName, protocol, sampler: Object.freeze({ name, ratio }) });
}

function parseEndpoint(text: string): string | undefined {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined;
}

function parseRatio(text: string): number | undefined {
  return /^(?:[01](?:\.0+)?|0?\.\d+)$/.test(text) ? Number(text) : undefined;
}
