import type { Finding, StoredDiagnosis } from "../../contract/diagnosis.ts";
import { monitorOf } from "../../metrics/flush.ts";
import { Empty } from "../components/empty.tsx";
import { consolePage, type ConsoleCall } from "./frame.tsx";
import { countText, Moment } from "./words.tsx";

/** GET /operator/doctor: what the doctor found when it last sent a report. */
export async function doctorPage(call: ConsoleCall): Promise<Response> {
  const diagnosis = await monitorOf(call.env).diagnosis();
  const command = <code>npx mailkeep-server doctor --report</code>;
  return consolePage(call, {
    title: "Doctor",
    tab: "Doctor",
    about: (
      <>{command} checks DNS, certificates, settings and the relay of this deployment, and sends a report.</>
    ),
    children:
      diagnosis === null ? (
        <Empty title="No report yet">Run {command} where the deployment is managed.</Empty>
      ) : (
        <Report {...diagnosis} />
      ),
  });
}

/** The findings of one level. */
export function findingsOf(diagnosis: StoredDiagnosis | null, level: Finding["level"]): Finding[] {
  return diagnosis?.findings.filter((finding) => finding.level === level) ?? [];
}

function Report(diagnosis: StoredDiagnosis) {
  const wrong = [...findingsOf(diagnosis, "broken"), ...findingsOf(diagnosis, "warning")];
  return (
    <>
      <p class="small muted">
        <Moment at={diagnosis.at} />: {countText(diagnosis.findings.length, "check", "checks")},{" "}
        {countText(wrong.length, "finding", "findings")}.
      </p>
      {wrong.length === 0 ? <Empty title="All right">Every check passed.</Empty> : null}
      {wrong.map(({ level, title, cost, fix }) => (
        <section class={`notice break ${level === "broken" ? "bad" : "warn"}`}>
          <p>
            <strong>{level === "broken" ? "Broken" : "Warning"}:</strong> {title}
          </p>
          {cost === "" ? null : <p>{cost}</p>}
          {fix === "" ? null : (
            <p class="key">
              <code data-copy="it">{fix}</code>
            </p>
          )}
        </section>
      ))}
    </>
  );
}
