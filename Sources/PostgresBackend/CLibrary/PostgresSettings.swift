/// The settings under which the store's statements have their intended meaning.
///
/// A name without a namespace is looked up in the search path. A function or an operator of another
/// role is taken there if it fits the types of the arguments better. So the path has the server's
/// own namespace alone, and temporary tables last, which are else looked up first. Without
/// `row_security`, a statement fails that a policy would hide rows from.
///
/// A session of the server keeps the settings. A pooler hands sessions to other clients, so that a setting of
/// one would be lost, or reach a stranger: there, each transaction makes them for itself.
enum PostgresSettings {
  static let path = "pg_catalog, pg_temp"

  /// The statements for a transaction of a session that does not keep the settings.
  static let ofTransaction = [setPath, "SET LOCAL row_security = off"]

  /// The statement by which the rest of a transaction has the path.
  static let setPath = "SET LOCAL search_path = \(path)"

  /// The statement by which the rest of a text of several statements has the rights of the role that logged in,
  /// which may see and end its own sessions; a session may have been given another role.
  static let ownRole = "SET LOCAL ROLE NONE; "

  /// A query that makes the settings for a session, and gives null behind a pooler, where it makes none.
  ///
  /// A pooler shows clients numbers of its own instead of the number of a server's process. Nothing
  /// in the text depends on the path that the session has.
  static func ofSession(_ backend: Int32) -> String {
    func setting(_ name: String, _ value: String) -> String {
      "CASE WHEN pg_catalog.pg_backend_pid() OPERATOR(pg_catalog.=) \(backend) "
        + "THEN pg_catalog.set_config('\(name)', '\(value)', false) END"
    }
    return "SELECT \(setting("search_path", path)), \(setting("row_security", "off"))"
  }
}
