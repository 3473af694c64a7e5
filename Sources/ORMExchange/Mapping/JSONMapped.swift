public import FoundationEssentials
public import ORM

/// A model with a mapping to JSON of its own.
///
/// ```swift
/// extension Team: JSONMapped {
///   static let json = JSONMapping(Team.self, names: .snakeCase)
///     .field(\.name, from: "title", "info.name")
///     .leaveOut(\.coach)
/// }
/// ```
///
/// Its mapping is used by its name, and where another model leads to it:
///
/// ```swift
/// let snacks = try Snack.json.decode(#"[{"name": "Chips", "price": 2.5}]"#)
/// try store.save(snacks)
/// ```
///
/// Without a declaration of `json`, every attribute has its own name. Other mappings of the same
/// model are values of their own: `Snack.json.field(\.name, from: "label").decode(text)`.
public protocol JSONMapped: Persistable {
  /// The mapping that is used where no other is named.
  ///
  /// Declare it as a stored `static let`: it is compiled at its first use.
  static var json: JSONMapping<Self> { get }
}

extension JSONMapped {
  /// Every attribute by its own name.
  public static var json: JSONMapping<Self> { SharedTargets.standard.mapping(of: Self.self, .asIs) }

  /// Sets the properties that a JSON object has, and keeps the rest.
  ///
  /// ```swift
  /// try snack.update(from: #"{"price": 3}"#)
  /// ```
  ///
  /// - Throws: `invalidImport`; the object is then as it was. `invalidMapping`.
  public mutating func update(from text: String) throws {
    try Self.json.update(&self, from: text)
  }

  /// Sets the properties that a JSON object in UTF-8 has, and keeps the rest.
  public mutating func update(from data: Data) throws {
    try Self.json.update(&self, from: data)
  }

  /// Sets the properties that a JSON object has, and keeps the rest.
  public mutating func update(from json: JSONValue) throws {
    try Self.json.update(&self, from: json)
  }
}
