/**
 * Users of the test server. The library knows one user and reads roles from a file, so each user is a role there, with
 * its grants, and a request runs as that role: what it may do the engine decides, by its own access control. CREATE USER,
 * DROP USER, GRANT and REVOKE are kept here and written to that file.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface User {
  readonly password: string;
  readonly grants: readonly string[];
}

/** The one user of a new server, who may do everything. */
const ADMIN = "default";

const CREATE_USER =
  /^CREATE\s+USER\s+(?:IF\s+NOT\s+EXISTS\s+|OR\s+REPLACE\s+)?[`"]?(\w+)[`"]?(?:\s+IDENTIFIED\s+(?:WITH\s+\w+\s+)?BY\s+'([^']*)')?/i;
const DROP_USER = /^DROP\s+USER\s+(?:IF\s+EXISTS\s+)?[`"]?(\w+)[`"]?\s*;?\s*$/i;
const GRANT = /^GRANT\s+([\s\S]+?)\s+TO\s+[`"]?(\w+)[`"]?\s*;?\s*$/i;

function escapeXml(text: string): string {
  return text.replace(/[<>&]/g, (found) => ({ "<": "&lt;", ">": "&gt;", "&": "&amp;" })[found] ?? "");
}

export class Users {
  readonly #folder: string;
  readonly #users: Map<string, User>;
  readonly #profile: string;

  /** Reads what the folder holds, and writes the files that the library is configured by. */
  /** `profile`: settings of all users. */
  constructor(folder: string, profile: Readonly<Record<string, number>> = {}) {
    this.#folder = folder;
    this.#profile = Object.entries(profile)
      .map(([name, value]) => `<${name}>${value}</${name}>`)
      .join("");
    const stored = existsSync(join(folder, "users.json"))
      ? (JSON.parse(readFileSync(join(folder, "users.json"), "utf8")) as [string, User][])
      : [];
    this.#users = new Map([[ADMIN, { password: "", grants: ["ALL ON *.* WITH GRANT OPTION"] }], ...stored]);
    writeFileSync(
      this.configFile,
      `<clickhouse><users_config>${join(folder, "users.xml")}</users_config>
<backups><allowed_path>${join(folder, "backups")}</allowed_path></backups></clickhouse>\n`,
    );
    this.#write();
  }

  get configFile(): string {
    return join(this.#folder, "config.xml");
  }

  /** The role for a user's requests; undefined when the name or the password is wrong. */
  roleOf(name: string, password: string): string | undefined {
    return this.#users.get(name)?.password === password ? `lw_role_${name}` : undefined;
  }

  /** Others' statements about users the engine itself refuses. */
  mayManage(role: string): boolean {
    return role === `lw_role_${ADMIN}`;
  }

  /** Takes a statement about users; false for any other. After it the library has to read its users again. */
  take(statement: string): boolean {
    const [, created, password = ""] = CREATE_USER.exec(statement) ?? [];
    const [, dropped] = DROP_USER.exec(statement) ?? [];
    const [, granted, to] = GRANT.exec(statement) ?? [];
    if (created !== undefined && !this.#users.has(created)) this.#users.set(created, { password, grants: [] });
    if (dropped !== undefined && dropped !== ADMIN) this.#users.delete(dropped);
    if (granted !== undefined && to !== undefined) {
      const user = this.#users.get(to) ?? { password: "", grants: [] };
      if (!user.grants.includes(granted)) this.#users.set(to, { ...user, grants: [...user.grants, granted] });
    }
    if (created === undefined && dropped === undefined && granted === undefined) return false;
    this.#write();
    return true;
  }

  #write(): void {
    const entries = [...this.#users];
    const stored = entries.filter(([name]) => name !== ADMIN);
    writeFileSync(join(this.#folder, "users.json"), JSON.stringify(stored));
    const memberships = entries.map(([name]) => `<query>GRANT lw_role_${name}</query>`).join("");
    const roles = entries.map(([name, { grants }]) => {
      const list = grants.map((grant) => `<query>GRANT ${escapeXml(grant)}</query>`).join("");
      return `<lw_role_${name}><grants>${list}</grants></lw_role_${name}>`;
    });
    writeFileSync(
      join(this.#folder, "users.xml"),
      `<clickhouse><profiles><default>${this.#profile}</default></profiles><quotas><default/></quotas>
<users><default><password></password><networks><ip>::/0</ip></networks><profile>default</profile>
<quota>default</quota><grants>${memberships}</grants></default></users>
<roles>${roles.join("\n")}</roles></clickhouse>\n`,
    );
  }
}
