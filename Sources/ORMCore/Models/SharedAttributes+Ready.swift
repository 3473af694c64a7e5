public import FoundationEssentials

/// A model whose key is a UUID that sorts by the time at which it was made (version 7), given where
/// the program gives none.
///
/// The model declares the property and the attribute; the rest is said here.
///
/// ```swift
/// struct Note: Identified, Stamped, Codable {
///   var id = UUID.unassigned
///   var createdAt = Date.distantPast
///   var changedAt = Date.distantPast
///   var text: String
///   static let entity = Entity<Note>("Note") {
///     .key("id", \.id)
///       .attribute("createdAt", \.createdAt).attribute("changedAt", \.changedAt)
///       .attribute("text", \.text)
///   }
/// }
/// ```
public protocol Identified: PrimaryKeyed where ID == UUID {}

extension Identified {
  /// The key, made where it is not given.
  public static var identifier: EntityPart<Self> { .key("id", \.id, .uuidV7) }
  /// The key.
  public static var sharedAttributes: EntityPart<Self> { identifier }
}

/// A model that knows when it was inserted and when it was last changed.
///
/// The operations set both (``AttributeOption/createdAt-3mhhc``,
/// ``AttributeOption/updatedAt-5hygc``).
public protocol Stamped: Persistable {
  /// The timestamp of the insert.
  var createdAt: Date { get }
  /// The timestamp of the last change.
  var changedAt: Date { get }
}

extension Stamped {
  /// The two timestamps.
  public static var stamps: EntityPart<Self> {
    .attribute("createdAt", \.createdAt, .createdAt)
      .attribute("changedAt", \.changedAt, .updatedAt)
  }
  /// The two timestamps.
  public static var sharedAttributes: EntityPart<Self> { stamps }
}

extension Identified where Self: Stamped {
  /// The key and the two timestamps.
  public static var sharedAttributes: EntityPart<Self> { .joined(identifier, stamps) }
}
