import AjvCompiler from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';

// Each schema is compiled at its first use: a process serves few of the routes soon after its start, and compiling all of
// their schemas would take a third of the start. Many routes share schemas, for example those of errors: each is compiled
// once per process.

type ValidatorFactory = ReturnType<typeof AjvCompiler>;
type ValidatorCompiler = ReturnType<ValidatorFactory>;
type Validator = ReturnType<ValidatorCompiler>;

/** Ajv keeps the validators that it has compiled, so all apps of this process share one instance. */
const createValidatorCompiler = AjvCompiler();

const buildValidator: ValidatorFactory = (...options) => {
  const compile = createValidatorCompiler(...options);
  return (route) => {
    let compiled: Validator | undefined;
    // Fastify reads the errors of the last call from the function.
    const validate = (data: unknown) => {
      compiled ??= compile(route);
      const isValid = compiled(data);
      Object.assign(validate, { errors: compiled.errors });
      return isValid;
    };
    return validate as Validator;
  };
};

type SerializerFactory = ReturnType<typeof SerializerSelector>;
type SerializerCompiler = ReturnType<SerializerFactory>;
type Serializer = ReturnType<SerializerCompiler>;

const selectSerializer = SerializerSelector();
const serializers = new WeakMap<object, Serializer>();

const buildSerializer: SerializerFactory = (...options) => {
  const compile = selectSerializer(...options);
  return (route) => {
    const schema = route.schema as object;
    return (data) => {
      const serializer = serializers.get(schema) ?? compile(route);
      serializers.set(schema, serializer);
      return serializer(data);
    };
  };
};

export const schemaCompilers = { buildValidator, buildSerializer };
