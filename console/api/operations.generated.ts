// Made by `npm run docs` from the service's OpenAPI document: changes here are lost when it is made again.

interface components {
    schemas: {
        AnyRow: {
            [key: string]: unknown;
        };
        QueryAnswer: {
            result: components["schemas"]["AnyRow"][];
        };
        QueryReport: {
            result: {
                parameters: components["schemas"]["AnyRow"][];
                columns: {
                    name: string;
                    type: string;
                }[];
                tables: string[];
                endpoints: string[];
                diagnostics: components["schemas"]["AnyRow"][];
                warnings: components["schemas"]["AnyRow"][];
                compiled_sql: string | null;
                explain: components["schemas"]["AnyRow"][];
            };
        };
        Accepted: {
            message: string;
            accepted: number;
        };
        Endpoint: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string | null;
            query: string;
            max_rows: number;
            cache_seconds: number;
            warm_every_seconds: number | null;
            /** @description The parameter that selects whose rows a call reads: a token that pins it reads no others. `none`: tokens with pins are refused */
            tenant_parameter: string | null;
            sandbox: boolean;
            redact_pii: boolean | string[];
            parameters: {
                [key: string]: {
                    type: string;
                    required: boolean;
                    allowed: string[] | null;
                    default: unknown;
                    description: string | null;
                };
            };
            table_aliases: {
                [key: string]: string;
            };
            hidden_columns: string[];
            labels: {
                [key: string]: string;
            };
            version?: number;
            /** @enum {string} */
            origin: "file" | "api";
            file: string | null;
            contract: components["schemas"]["Contract"];
            /** @description Why it can no longer run, because something it reads has changed */
            problem?: string;
            /** @description Probable mistakes in its query: fields that no event has carried, reads that no tenant confines */
            warnings?: string[];
        };
        Contract: {
            parameters: {
                name: string;
                type: string;
                required: boolean;
                allowed: string[] | null;
                default: unknown;
                description: string | null;
            }[];
            columns: {
                name: string;
                /** @description In GoogleSQL's notation */
                type: string;
            }[];
        };
        Version: {
            version: number;
            name: string;
            current: boolean;
            /** Format: date-time */
            created_at: string;
            author: string;
            action: string;
            rollback_to: number | null;
            changed: string[];
            document?: components["schemas"]["AnyRow"];
            contract?: components["schemas"]["Contract"];
        };
        VersionDiff: {
            from: number;
            to: number;
            breaking: boolean;
            changes: {
                /** @enum {string} */
                area: "column" | "parameter" | "setting";
                name: string;
                change: string;
                from: string | null;
                to: string | null;
                breaking: boolean;
            }[];
            query: components["schemas"]["AnyRow"][];
        };
        Source: {
            id: string;
            name: string;
            aliases: string[];
            kind: string;
            description: string;
            retention_days: number | {
                default?: number;
                tenants?: {
                    [key: string]: number;
                };
            } | null;
            /** @description The field that tells tenants apart, if there is one */
            tenant?: string;
            /** @description Types of declared fields by dotted path */
            fields: {
                [key: string]: string;
            };
            newest_event?: string | null;
            /** @description True for a source that is defined in a file, or is the service's own */
            read_only: boolean;
            /** @description The source's name, if this is another name of it */
            alias_of?: string;
        } & {
            [key: string]: unknown;
        };
        SourceSchema: {
            name: string;
            fields: {
                path: string;
                type: string;
            }[];
        };
        Backend: {
            id: string;
            token: string;
            name: string;
            description: string;
            type: string;
            /** @description Secrets are shown as ******** */
            config: Record<string, never>;
            metadata: Record<string, never>;
            inserted_at: string;
            updated_at: string;
            status: {
                rule_id: string;
                source: string;
                waiting: number;
                delivered: number;
                refused: number;
                dropped: number;
                removed: number;
                excluded: number;
                looped: number;
                failures: number;
                last_error: string | null;
                last_delivered_at: string | null;
            }[];
        };
        Rule: {
            id: string;
            token: string;
            backend_id: string;
            source_id: string;
            source: string;
            lql_string: string;
            inserted_at: string;
        };
        /** @description The fields that were sent, without secrets, and those of the reference's form */
        Alert: {
            id?: string;
            token?: string;
            name?: string;
            enabled?: boolean;
            inserted_at?: string;
            updated_at?: string;
        } & {
            [key: string]: unknown;
        };
        AlertState: {
            /** @description ok, pending, firing, failing or resolved */
            status: string;
            groups: {
                labels: {
                    [key: string]: string;
                };
                value: string | null;
                status: string;
                since: string;
            }[];
            failure: {
                reason: string;
                since: string;
            } | null;
            last_run_at: string | null;
            next_run_at: string | null;
            silenced_until: string | null;
            waiting: number;
            dropped: number;
            last_error: string | null;
        };
        AlertTest: {
            runs: number;
            notices: {
                at: string;
                status: string;
                labels: {
                    [key: string]: string;
                };
                message: string;
                is_reminder: boolean;
                row_count: number;
            }[];
        };
        AccessToken: {
            id: string;
            description: string;
            scopes: string[];
            pins: {
                [key: string]: string | string[] | {
                    prefix: string;
                };
            };
            budget: {
                /**
                 * an integer from 1 to 3600000
                 * @description Deadline of one query in milliseconds; then 504.
                 */
                query_timeout_ms?: number;
                /**
                 * an integer from 1 to 10000000
                 * @description Rows of one answer, or of one page of it.
                 */
                max_rows?: number;
                /**
                 * an integer from 1000 to 10000000000
                 * @description Size of one answer's rows in bytes; beyond it 422.
                 */
                max_result_bytes?: number;
                /**
                 * an integer from 1 to 1000000
                 * @description Memory in megabytes that one query may take from the engine's; beyond it 422.
                 */
                max_query_memory_mb?: number;
                /**
                 * an integer from 1 to 1000000
                 * @description Elements of an array that one call of a function makes; beyond it 422.
                 */
                max_array_elements?: number;
                /**
                 * an integer from 1024 to 16777216
                 * @description Bytes of a text that one call of a function makes; beyond it 422.
                 */
                max_string_bytes?: number;
                /**
                 * an integer from 1 to 1048576
                 * @description Length of a query that is sent to an endpoint; beyond it 413.
                 */
                max_query_characters?: number;
                /**
                 * an integer from 1 to 200
                 * @description Levels to which a query that is sent to an endpoint nests; beyond them 422.
                 */
                max_query_depth?: number;
                /**
                 * an integer from 1 to 1000000000
                 * @description Events in a minute, over all sources; beyond them 429.
                 */
                max_ingest_events_per_minute?: number;
                /**
                 * an integer from 1 to 1000000000000
                 * @description Bytes of events, as JSON, in a minute, over all sources; beyond them 429.
                 */
                max_ingest_bytes_per_minute?: number;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        CreatedAccessToken: {
            id: string;
            description: string;
            scopes: string[];
            pins: {
                [key: string]: string | string[] | {
                    prefix: string;
                };
            };
            budget: {
                /**
                 * an integer from 1 to 3600000
                 * @description Deadline of one query in milliseconds; then 504.
                 */
                query_timeout_ms?: number;
                /**
                 * an integer from 1 to 10000000
                 * @description Rows of one answer, or of one page of it.
                 */
                max_rows?: number;
                /**
                 * an integer from 1000 to 10000000000
                 * @description Size of one answer's rows in bytes; beyond it 422.
                 */
                max_result_bytes?: number;
                /**
                 * an integer from 1 to 1000000
                 * @description Memory in megabytes that one query may take from the engine's; beyond it 422.
                 */
                max_query_memory_mb?: number;
                /**
                 * an integer from 1 to 1000000
                 * @description Elements of an array that one call of a function makes; beyond it 422.
                 */
                max_array_elements?: number;
                /**
                 * an integer from 1024 to 16777216
                 * @description Bytes of a text that one call of a function makes; beyond it 422.
                 */
                max_string_bytes?: number;
                /**
                 * an integer from 1 to 1048576
                 * @description Length of a query that is sent to an endpoint; beyond it 413.
                 */
                max_query_characters?: number;
                /**
                 * an integer from 1 to 200
                 * @description Levels to which a query that is sent to an endpoint nests; beyond them 422.
                 */
                max_query_depth?: number;
                /**
                 * an integer from 1 to 1000000000
                 * @description Events in a minute, over all sources; beyond them 429.
                 */
                max_ingest_events_per_minute?: number;
                /**
                 * an integer from 1 to 1000000000000
                 * @description Bytes of events, as JSON, in a minute, over all sources; beyond them 429.
                 */
                max_ingest_bytes_per_minute?: number;
            } & {
                [key: string]: unknown;
            };
            /** @description Shown only once */
            token: string;
        } & {
            [key: string]: unknown;
        };
        Json: {
            listTables: {
                tables: {
                    name: string;
                    aliases: string[];
                    is_default: boolean;
                    fields: {
                        path: string;
                        type: string;
                    }[];
                }[];
            };
            checkQuery: {
                result: {
                    is_valid: boolean;
                    columns: {
                        name: string;
                        type: string;
                    }[];
                    diagnostics: {
                        code: string;
                        message: string;
                        line: number;
                        column: number;
                        end_line: number;
                        end_column: number;
                        excerpt: string;
                    }[];
                    warnings: {
                        code: string;
                        message: string;
                        line: number;
                        column: number;
                        end_line: number;
                        end_column: number;
                        excerpt: string;
                    }[];
                };
            };
            countRows: {
                result: {
                    from: string;
                    to: string;
                    bucket_us: number;
                    total: number;
                    is_truncated: boolean;
                    series: {
                        value: string | null;
                        counts: number[];
                    }[];
                    facets: {
                        path: string;
                        values: {
                            value: string | null;
                            count: number;
                        }[];
                    }[];
                };
            };
            showAround: {
                result: components["schemas"]["AnyRow"][];
            };
            listViews: {
                views: {
                    id: string;
                    name: string;
                    endpoint: string;
                    /** @description What the explorer shows, as in its address, at most 16,384 characters; stored unchanged */
                    state: string;
                    is_shared: boolean;
                    /** @description True if this token saved it */
                    is_own: boolean;
                    created_at: string;
                }[];
            };
            saveView: {
                id: string;
                name: string;
                endpoint: string;
                /** @description What the explorer shows, as in its address, at most 16,384 characters; stored unchanged */
                state: string;
                is_shared: boolean;
                /** @description True if this token saved it */
                is_own: boolean;
                created_at: string;
            };
            runQuery: components["schemas"]["QueryAnswer"];
            parseQuery: components["schemas"]["QueryReport"];
            listFunctions: {
                functions: {
                    name: string;
                    aliases: string[];
                    kind: string;
                    area: string;
                    signatures: string[];
                    summary: string;
                }[];
            };
            sendEvents: components["schemas"]["Accepted"];
            listEndpoints: components["schemas"]["Endpoint"][];
            createEndpoint: components["schemas"]["Endpoint"];
            getEndpoint: components["schemas"]["Endpoint"];
            replaceEndpoint: components["schemas"]["Endpoint"];
            validateEndpoint: components["schemas"]["Endpoint"];
            listVersions: components["schemas"]["Version"][];
            getVersion: components["schemas"]["Version"];
            diffVersions: components["schemas"]["VersionDiff"];
            rollBack: components["schemas"]["Endpoint"];
            getTests: {
                has_tests: boolean;
                /** @description Null until they ran, since the service started */
                last: {
                    ran_at: string;
                    version: number;
                    passed: number;
                    failed: number;
                    tests: {
                        name: string;
                        is_passed: boolean;
                        ms: number;
                        difference: string | null;
                    }[];
                } | null;
            };
            runTests: {
                has_tests: boolean;
                /** @description Null until they ran, since the service started */
                last: {
                    ran_at: string;
                    version: number;
                    passed: number;
                    failed: number;
                    tests: {
                        name: string;
                        is_passed: boolean;
                        ms: number;
                        difference: string | null;
                    }[];
                } | null;
            };
            listSources: components["schemas"]["Source"][];
            createSource: components["schemas"]["Source"];
            getSource: components["schemas"]["Source"];
            replaceSource: components["schemas"]["Source"];
            changeSource: components["schemas"]["Source"];
            getSourceSchema: components["schemas"]["SourceSchema"];
            listRecentEvents: components["schemas"]["QueryAnswer"];
            listEvents: components["schemas"]["QueryAnswer"];
            deleteEvents: {
                /** @description Events that passed the filters when the deletion began */
                matched: number;
                deleted: number;
            };
            setRetention: components["schemas"]["Source"];
            listBackends: components["schemas"]["Backend"][];
            createBackend: components["schemas"]["Backend"];
            getBackend: components["schemas"]["Backend"];
            replaceBackend: components["schemas"]["Backend"];
            changeBackend: components["schemas"]["Backend"];
            testBackend: {
                connected: boolean;
                reason?: string;
            };
            listRules: components["schemas"]["Rule"][];
            createRule: components["schemas"]["Rule"];
            getRule: components["schemas"]["Rule"];
            replaceRule: components["schemas"]["Rule"];
            changeRule: components["schemas"]["Rule"];
            listAlerts: components["schemas"]["Alert"][];
            createAlert: components["schemas"]["Alert"];
            getAlert: components["schemas"]["Alert"];
            replaceAlert: components["schemas"]["Alert"];
            getAlertState: components["schemas"]["AlertState"];
            silenceAlert: components["schemas"]["Alert"];
            testAlert: components["schemas"]["AlertTest"];
            listAccessTokens: components["schemas"]["AccessToken"][];
            createAccessToken: components["schemas"]["CreatedAccessToken"];
            getAccessToken: components["schemas"]["AccessToken"];
            rotateAccessToken: components["schemas"]["CreatedAccessToken"];
            countCalls: {
                since: string;
                /** @description False if the service does not record runs */
                is_recorded: boolean;
                endpoints: {
                    endpoint: string;
                    calls: number;
                    /** @description Calls that were answered with an error; callers that disconnected are not counted */
                    errors: number;
                    /** @description Calls that were answered from the cache */
                    cached: number;
                    p50_ms: number | null;
                    p95_ms: number | null;
                    newest_call: string;
                }[];
            };
            countIntake: {
                since: string;
                sources: {
                    source: string;
                    stored: number;
                    /** @description Events that were not stored */
                    rejected: number;
                    /** @description Bodies that could not be read as a whole */
                    refused_bodies: number;
                    /** @description Stored events whose timestamp could not be read */
                    untimed: number;
                    /** @description Stored events without a tenant, in a source that has tenants */
                    without_tenant: number;
                    /** @description Why events and bodies were not stored, newest first */
                    reasons: {
                        reason: string;
                        count: number;
                        newest: string;
                    }[];
                    /** @description When an event last arrived and was stored */
                    last_stored: string | null;
                    newest_event: string | null;
                    /** @description How long ago the newest event happened */
                    lag_ms: number | null;
                    retention_days: number | {
                        default?: number;
                        tenants?: {
                            [key: string]: number;
                        };
                    } | null;
                }[];
            };
            clearCache: {
                cleared: number;
            };
            getStore: components["schemas"]["AnyRow"];
            listSlices: {
                slices: {
                    start_us: string;
                    events: number;
                    fingerprint: string;
                }[];
            };
            reloadFiles: components["schemas"]["AnyRow"];
            getSession: {
                token: {
                    id: string;
                    scopes: string[];
                    pins: {
                        [key: string]: string | string[] | {
                            prefix: string;
                        };
                    };
                    budget: {
                        [key: string]: number;
                    };
                    redaction: string;
                };
                person: {
                    name: string;
                    /** @description `oidc`: with an issuer; `proxy`: by a trusted proxy */
                    way: string;
                } | null;
                may: {
                    query: boolean;
                    manage: boolean;
                    ingest: boolean;
                    metrics: boolean;
                };
                endpoints: {
                    id: string;
                    name: string;
                    description: string | null;
                    version: number;
                    sandbox: boolean;
                    max_rows: number;
                    parameters: {
                        [key: string]: unknown;
                    }[];
                    columns: {
                        name: string;
                        type: string;
                    }[];
                }[];
                sources: string[];
                ingest_sources: string[];
                now: string;
            };
            getSignIn: {
                /** @description The host of the issuer to sign in with */
                issuer: string | null;
                is_signed_in: boolean;
                problem: {
                    code: string;
                    message: string;
                    hint?: string;
                } | null;
            };
            signOut: {
                issuer_sign_out: string | null;
            };
            getOpenApi: components["schemas"]["AnyRow"];
        };
    };
}

type Json = components["schemas"]["Json"];

/** The JSON that each operation answers; undefined for one that answers none. */
export type Answers = {
  readonly [Name in keyof typeof operations]: Name extends keyof Json ? Json[Name] : undefined;
};

export type Endpoint = components["schemas"]["Endpoint"];
export type Version = components["schemas"]["Version"];

/** Method and path of each operation. */
export const operations = {
  listTables: ["get", "/api/endpoints/query/{endpoint}/tables"],
  checkQuery: ["get", "/api/endpoints/query/{endpoint}/parse"],
  countRows: ["get", "/api/endpoints/query/{endpoint}/overview"],
  showAround: ["get", "/api/endpoints/query/{endpoint}/around"],
  followRows: ["get", "/api/endpoints/query/{endpoint}/tail"],
  listViews: ["get", "/api/views"],
  saveView: ["post", "/api/views"],
  deleteView: ["delete", "/api/views/{id}"],
  runQuery: ["post", "/api/query"],
  parseQuery: ["post", "/api/query/parse"],
  listFunctions: ["get", "/api/catalogue"],
  sendEvents: ["post", "/api/logs"],
  listEndpoints: ["get", "/api/endpoints"],
  createEndpoint: ["post", "/api/endpoints"],
  getEndpoint: ["get", "/api/endpoints/{endpoint}"],
  replaceEndpoint: ["put", "/api/endpoints/{endpoint}"],
  changeEndpoint: ["patch", "/api/endpoints/{endpoint}"],
  deleteEndpoint: ["delete", "/api/endpoints/{endpoint}"],
  validateEndpoint: ["post", "/api/endpoints/validate"],
  listVersions: ["get", "/api/endpoints/{endpoint}/versions"],
  getVersion: ["get", "/api/endpoints/{endpoint}/versions/{version}"],
  diffVersions: ["get", "/api/endpoints/{endpoint}/versions/{version}/diff/{other}"],
  rollBack: ["post", "/api/endpoints/{endpoint}/versions/{version}/rollback"],
  getTests: ["get", "/api/endpoints/{endpoint}/tests"],
  runTests: ["post", "/api/endpoints/{endpoint}/tests"],
  listSources: ["get", "/api/sources"],
  createSource: ["post", "/api/sources"],
  getSource: ["get", "/api/sources/{source}"],
  replaceSource: ["put", "/api/sources/{source}"],
  changeSource: ["patch", "/api/sources/{source}"],
  deleteSource: ["delete", "/api/sources/{source}"],
  getSourceSchema: ["get", "/api/sources/{source}/schema"],
  listRecentEvents: ["get", "/api/sources/{source}/recent"],
  listEvents: ["get", "/api/sources/{source}/events"],
  deleteEvents: ["delete", "/api/sources/{source}/events"],
  setRetention: ["put", "/api/sources/{source}/retention"],
  listBackends: ["get", "/api/backends"],
  createBackend: ["post", "/api/backends"],
  getBackend: ["get", "/api/backends/{id}"],
  replaceBackend: ["put", "/api/backends/{id}"],
  changeBackend: ["patch", "/api/backends/{id}"],
  deleteBackend: ["delete", "/api/backends/{id}"],
  testBackend: ["post", "/api/backends/{id}/test"],
  listRules: ["get", "/api/rules"],
  createRule: ["post", "/api/rules"],
  getRule: ["get", "/api/rules/{id}"],
  replaceRule: ["put", "/api/rules/{id}"],
  changeRule: ["patch", "/api/rules/{id}"],
  deleteRule: ["delete", "/api/rules/{id}"],
  listAlerts: ["get", "/api/alerts"],
  createAlert: ["post", "/api/alerts"],
  getAlert: ["get", "/api/alerts/{id}"],
  replaceAlert: ["put", "/api/alerts/{id}"],
  changeAlert: ["patch", "/api/alerts/{id}"],
  deleteAlert: ["delete", "/api/alerts/{id}"],
  getAlertState: ["get", "/api/alerts/{id}/state"],
  silenceAlert: ["post", "/api/alerts/{id}/silence"],
  testAlert: ["post", "/api/alerts/{id}/test"],
  listAccessTokens: ["get", "/api/access-tokens"],
  createAccessToken: ["post", "/api/access-tokens"],
  getAccessToken: ["get", "/api/access-tokens/{id}"],
  revokeAccessToken: ["delete", "/api/access-tokens/{id}"],
  rotateAccessToken: ["post", "/api/access-tokens/{id}/rotate"],
  countCalls: ["get", "/api/statistics/endpoints"],
  countIntake: ["get", "/api/statistics/sources"],
  clearCache: ["post", "/api/cache/clear"],
  getStore: ["get", "/api/store"],
  backUpStore: ["get", "/api/store/backup"],
  backUpChanges: ["post", "/api/store/backup"],
  listSlices: ["get", "/api/store/slices"],
  readStoredEvents: ["get", "/api/store/events"],
  reloadFiles: ["post", "/api/reload"],
  getSession: ["get", "/api/session"],
  getSignIn: ["get", "/api/sign-in"],
  beginSignIn: ["get", "/api/sign-in/start"],
  finishSignIn: ["get", "/api/sign-in/callback"],
  signOut: ["post", "/api/sign-out"],
  getMetrics: ["get", "/metrics"],
  getOpenApi: ["get", "/api/openapi.json"],
} as const;
