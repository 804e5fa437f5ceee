# syntax=docker/dockerfile:1
# The panel without the embedded database: set DATABASE_URL. docs/container.md describes how to run it.

FROM node:24-bookworm-slim AS build
WORKDIR /source
# Copied first, so that a change of the code does not install all packages again.
COPY package.json package-lock.json ./
COPY packages/agent/package.json packages/agent/
COPY packages/contract/package.json packages/contract/
COPY packages/panel/package.json packages/panel/
COPY packages/testkit/package.json packages/testkit/
COPY packages/web/package.json packages/web/
COPY wordpress/package.json wordpress/
COPY bench/package.json bench/
COPY conformance/package.json conformance/
RUN npm ci
COPY . .
RUN npm run release \
  && mkdir /release \
  && tar -xzf dist/steward-*.tgz -C /release --strip-components=1

FROM node:24-bookworm-slim
# The program contains its packages, so the image has no node_modules.
COPY --from=build /release /opt/steward
RUN ln -s /opt/steward/packages/panel/dist/steward.js /usr/local/bin/steward \
  && install -d -o node -g node -m 0700 /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["steward"]
CMD ["serve"]
