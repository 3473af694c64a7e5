internal import CPostgres
internal import Foundation
internal import ORMStorage

/// The location of a store on a server: the library's parameters, and the namespace.
struct PostgresLocation: Sendable, CustomStringConvertible, CustomReflectable {
  /// The library's parameters, in an order in which later ones prevail.
  let parameters: [(String, String)]
  /// The namespace that holds the store, the server's schema.
  let namespace: String
  /// The location as it is shown, without a password.
  let description: String

  /// Reads `postgres:user:password@host:port/database?namespace=shop`, or a URI that begins with
  /// `postgres://` or `postgresql://`.
  ///
  /// All but the namespace is as libpq's manual describes its URIs, several hosts and the settings of
  /// the query included.
  ///
  /// - Throws: `invalidLocation`, without a possible password.
  init(_ text: String, _ options: PostgresOptions) throws {
    var path = Substring(text)
    if let scheme = ["postgres:", "postgresql:"].first(where: text.hasPrefix) {
      path = path.dropFirst(scheme.count)
    }
    if path.hasPrefix("//") { path = path.dropFirst(2) }
    var namespace = "public"
    var query: [Substring] = []
    if let mark = path.firstIndex(of: "?") {
      for item in path[path.index(after: mark)...].split(separator: "&") {
        if item.hasPrefix("namespace=") {
          namespace = item.dropFirst(10).removingPercentEncoding ?? ""
        } else {
          query.append(item)
        }
      }
      path = path[..<mark]
    }
    // The value of another setting follows the mark, such as a password.
    guard !namespace.isEmpty, !namespace.hasPrefix("pg_"), !namespace.utf8.contains(0),
      !namespace.contains("=")
    else {
      throw StoreError(
        .invalidLocation, "the namespace of a location is empty or reserved, or contains '='")
    }
    try Self.loadLibrary()
    var uri = "postgresql://" + path
    if !query.isEmpty { uri += "?" + query.joined(separator: "&") }
    // The URI of another kind would be taken for a database's name, and shown.
    guard !path.contains("://"), let found = Self.parse(uri), Self.isPlain(found) else {
      throw StoreError(
        .invalidLocation,
        "the location of a PostgreSQL store has the form "
          + "postgres:user@host:port/database?namespace=name, with percent-encoded parts")
    }
    self.namespace = namespace
    parameters =
      Self.defaults(found) + [("dbname", uri)] + Self.secret(options)
      + [("client_encoding", "UTF8")]
    let user = found["user"].map { $0 + "@" } ?? ""
    let port = found["port"].map { ":" + $0 } ?? ""
    let base = found["dbname"].map { "/" + $0 } ?? ""
    let space = namespace == "public" ? "" : "?namespace=" + namespace
    description = "postgres:\(user)\(found["host"] ?? "")\(port)\(base)\(space)"
  }

  /// A mirror of the description, without secrets.
  var customMirror: Mirror { Mirror(self, children: ["location": description]) }

  /// Returns whether the parts of a location that are shown are well formed, so that none holds a secret.
  ///
  /// A location of another form, such as `host=… password=…`, and a password whose special characters are not
  /// percent-encoded come apart elsewhere than they should: the secret would be shown as a host, a port or a
  /// database, to which the library would also try to connect.
  private static func isPlain(_ found: [String: String]) -> Bool {
    func has(_ marks: String, _ name: String) -> Bool {
      found[name]?.unicodeScalars.contains { marks.unicodeScalars.contains($0) } ?? false
    }
    let hosts = (found["host"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    return !has(" \t\r\n=;?#", "host") && !has(" \t\r\n=", "user")
      && !has(" \t\r\n=@/?#", "dbname")
      // A socket's name begins with the mark.
      && !hosts.contains { $0.dropFirst().contains("@") }
      && (found["port"] ?? "").utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2C }
  }

  /// Loads libpq.
  ///
  /// Each connection has a location, so no function of the library is called before.
  ///
  /// - Throws: `cannotOpen` where the machine has no libpq of version 14 or newer.
  private static func loadLibrary() throws {
    guard let reason = strata_load_libpq() else { return }
    throw StoreError(
      .cannotOpen,
      "a PostgreSQL store needs libpq, version 14 or newer, which cannot be loaded: "
        + "\(String(cString: reason)); install the package libpq5")
  }

  /// The parameters of a URI; nil for a text that is none.
  private static func parse(_ uri: String) -> [String: String]? {
    guard !uri.utf8.contains(0), let parsed = PQconninfoParse(uri, nil) else { return nil }
    defer { PQconninfoFree(parsed) }
    var found: [String: String] = [:]
    var option = parsed
    while let name = option.pointee.keyword {
      if let value = option.pointee.val { found[String(cString: name)] = String(cString: value) }
      option += 1
    }
    return found
  }

  /// Returns the settings that the location leaves open.
  private static func defaults(_ found: [String: String]) -> [(String, String)] {
    var defaults = [
      ("fallback_application_name", "strata"), ("keepalives_idle", "30"),
      ("keepalives_interval", "10"), ("keepalives_count", "3"), ("tcp_user_timeout", "30000"),
    ]
    let environment = ProcessInfo.processInfo.environment
    let hosts = (found["hostaddr"] ?? found["host"] ?? environment["PGHOST"] ?? "")
      .split(separator: ",")
    // A service's host is in a file that only the library reads.
    let isService = found["service"] != nil || environment["PGSERVICE"] != nil
    let isLocal =
      !(isService && hosts.isEmpty)
      && hosts.allSatisfy {
        $0.hasPrefix("/") || $0.hasPrefix("@") || ["localhost", "127.0.0.1", "::1"].contains($0)
      }
    if isLocal || environment["PGSSLMODE"] != nil { return defaults }
    // A password sent to an unverified server is no longer a secret.
    defaults.append(("sslmode", "verify-full"))
    let bundles = [
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]
    if environment["PGSSLROOTCERT"] == nil,
      let bundle = bundles.first(where: { FileManager.default.fileExists(atPath: $0) })
    {
      defaults.append(("sslrootcert", bundle))
    }
    return defaults
  }

  private static func secret(_ options: PostgresOptions) -> [(String, String)] {
    options.knownPassword.map { [("password", $0)] } ?? []
  }

  /// Returns a location's text without its password.
  static func withoutPassword(_ path: String) -> String {
    guard let location = try? PostgresLocation(path, PostgresOptions()) else { return "…" }
    return String(location.description.dropFirst("postgres:".count))
  }
}
