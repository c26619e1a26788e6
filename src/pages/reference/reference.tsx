import { html } from "hono/html";
import { OpenApiDocument, operationsOf, type OpenApi, type OperationSpec } from "./document.ts";
import { contentOf, curlExample, exampleOf, typeScriptExample } from "./examples.ts";
import { Property, Prose, Shape } from "./shape.tsx";

/** Renders the reference of the API from its OpenAPI document. It needs no script to be read. */
export async function renderReference(description: unknown): Promise<string> {
  const document = OpenApiDocument.parse(description);
  return (await html`${<Reference document={document} />}`).toString();
}

function Reference({ document }: { document: OpenApi }) {
  const operations = operationsOf(document);
  const shapes = Object.entries(document.components.schemas);
  const byTag = Map.groupBy(operations, ({ tags: [tag = "Other"] }) => tag);
  return (
    <div class="reference">
      <div>
        <h1>API reference</h1>
        <Introduction />
      </div>
      <nav class="contents" aria-label="Sections">
        {[...byTag.keys(), "Shapes"].map((tag) => (
          <a href={`#${anchorOf(tag)}`}>{tag}</a>
        ))}
      </nav>
      <div>
        <Tools count={operations.length + shapes.length} />
        {[...byTag].map(([tag, ofTag]) => (
          <section aria-labelledby={anchorOf(tag)}>
            <h2 id={anchorOf(tag)}>{tag}</h2>
            {ofTag.map((operation) => (
              <Operation operation={operation} document={document} />
            ))}
          </section>
        ))}
        <section aria-labelledby="shapes">
          <h2 id="shapes">Shapes</h2>
          {shapes.map(([name, schema]) => (
            <details class="entry" id={`shape-${name}`}>
              <summary>
                <strong>{name}</strong> <span class="muted">{schema.description}</span>
              </summary>
              <div class="inside">
                <Shape schema={schema} />
              </div>
            </details>
          ))}
        </section>
      </div>
    </div>
  );
}

/** The search among `count` entries, and the key with which requests are tried. */
function Tools({ count }: { count: number }) {
  return (
    <form class="tools scripted" id="tools">
      <div class="field">
        <label for="search">Search</label>
        <div class="keyed">
          <input
            type="search"
            id="search"
            placeholder="All words must match"
            autocomplete="off"
            spellcheck={false}
            aria-describedby="found"
            aria-keyshortcuts="/"
          />
          <kbd aria-hidden="true">/</kbd>
        </div>
        <span class="hint" id="found" role="status">
          {count} entries
        </span>
      </div>
      <div class="field">
        <label for="key">Key for “Try it”</label>
        <input type="password" id="key" autocomplete="off" spellcheck={false} aria-describedby="key-hint" />
        <span class="hint" id="key-hint">
          Sent with your requests only. Nothing stores it.
        </span>
      </div>
    </form>
  );
}

function Introduction() {
  return (
    <p>
      Send a key as <code>Authorization: Bearer …</code>. The examples read it from the environment variable{" "}
      <code>MAILKEEP_KEY</code>. Errors are JSON and say in <code>fix</code> what to do. The machine-readable
      form of this page is <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).
    </p>
  );
}

function Operation({ operation, document }: { operation: OperationSpec; document: OpenApi }) {
  const { operationId, method, path, summary, description } = operation;
  const { schemas } = document.components;
  const [media, body] = contentOf(operation.requestBody?.content);
  return (
    <details
      class="entry operation"
      id={operationId}
      data-method={method}
      data-path={path}
      data-media={media ?? undefined}
      data-body={
        body && media === "application/json" ? JSON.stringify(exampleOf(body, schemas), null, 2) : undefined
      }
    >
      <summary>
        <span class={`method ${method.toLowerCase()}`}>{method}</span> <code class="break">{path}</code>
        <span class="about">
          <Prose text={summary} />
        </span>
      </summary>
      <div class="inside">
        <p class="access small muted">
          <Prose text={description ?? ""} /> <a href={`#${operationId}`}>Link to {operationId}</a>
        </p>
        <Parameters operation={operation} schemas={schemas} />
        {body !== undefined && (
          <>
            <h3>Body</h3>
            <p class="small muted">{media}</p>
            <Shape schema={body.schema} />
          </>
        )}
        <Answers operation={operation} />
        <Examples operation={operation} document={document} />
      </div>
    </details>
  );
}

interface Described {
  operation: OperationSpec;
  schemas: OpenApi["components"]["schemas"];
}

function Parameters({ operation: { parameters }, schemas }: Described) {
  if (parameters.length === 0) return null;
  return (
    <>
      <h3>Parameters</h3>
      <dl class="properties">
        {parameters.map((parameter) => (
          <Property
            name={parameter.name}
            schema={parameter.schema}
            isRequired={parameter.required}
            about={parameter.description}
            data={{
              "data-in": parameter.in,
              "data-name": parameter.name,
              "data-value": parameter.required ? String(exampleOf(parameter, schemas)) : undefined,
            }}
          />
        ))}
      </dl>
    </>
  );
}

function Examples({ operation, document }: { operation: OperationSpec; document: OpenApi }) {
  return (
    <>
      <h3>Examples</h3>
      <p class="label">curl</p>
      <pre tabindex={0} aria-label="Example with curl">
        {curlExample(operation, document)}
      </pre>
      <p class="label">TypeScript</p>
      <pre tabindex={0} aria-label="Example in TypeScript">
        {typeScriptExample(operation, document)}
      </pre>
    </>
  );
}

function Answers({ operation: { responses } }: { operation: OperationSpec }) {
  return (
    <>
      <h3>Answers</h3>
      <dl class="properties">
        {Object.entries(responses).map(([status, answer]) => (
          <Answer status={status} answer={answer} />
        ))}
      </dl>
    </>
  );
}

function Answer({ status, answer }: { status: string; answer: OperationSpec["responses"][string] }) {
  const [media, content] = contentOf(answer.content);
  return (
    <div>
      <dt>
        <code>{status === "default" ? "4xx, 5xx" : status}</code>
      </dt>
      <dd>
        <Prose text={answer.description} />
        {media !== null && <span class="small muted"> · {media}</span>}
        {content !== undefined && media === "application/json" && <Shape schema={content.schema} />}
        {status.startsWith("2") && content?.example !== undefined && media === "application/json" && (
          <pre tabindex={0} aria-label="Example of the answer">
            {JSON.stringify(content.example, null, 2)}
          </pre>
        )}
      </dd>
    </div>
  );
}

const anchorOf = (tag: string): string => tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
