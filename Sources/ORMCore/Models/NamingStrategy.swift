/// A strategy that turns names in the program into names in the store, unless overridden.
///
/// ```swift
/// @Persistable(naming: .snakeCase)
/// struct Order {
///   @PrimaryKey(.generated) var id: Int64 = 0
///   var utcOffset = 0                    // utc_offset in the store
/// }
/// ```
public struct NamingStrategy: Sendable {
  package let entityName: @Sendable (String) -> String
  package let attributeName: @Sendable (String) -> String
  /// The form of attributes' names, if it is one that can be written down.
  package let attributeForm: AttributeForm?

  /// A form of attributes' names that can be written down.
  package enum AttributeForm: String, Hashable, Codable, Sendable {
    case asIs, snakeCase
  }

  /// A strategy of one's own: one function for entities, one for attributes.
  ///
  /// ```swift
  /// let upper = NamingStrategy(entity: { $0.uppercased() }, attribute: { $0.uppercased() })
  /// let schema = try Schema(Snack.self, naming: upper)
  /// ```
  public init(
    entity: @escaping @Sendable (String) -> String,
    attribute: @escaping @Sendable (String) -> String
  ) {
    self.init(entity: entity, attribute: attribute, attributeForm: nil)
  }

  private init(
    entity: @escaping @Sendable (String) -> String,
    attribute: @escaping @Sendable (String) -> String, attributeForm: AttributeForm?
  ) {
    entityName = entity
    attributeName = attribute
    self.attributeForm = attributeForm
  }

  /// Names as they are.
  public static let asIs = NamingStrategy(
    entity: { $0 }, attribute: { $0 }, attributeForm: .asIs)
  /// `utcOffset` becomes `utc_offset`, `URLPath` becomes `url_path`.
  ///
  /// ```swift
  /// let schema = try Schema(Snack.self, naming: .snakeCase)
  /// ```
  public static let snakeCase = NamingStrategy(
    entity: snakeCased, attribute: snakeCased, attributeForm: .snakeCase)
  /// Entities' names with something before them.
  ///
  /// ```swift
  /// let schema = try Schema(Snack.self, naming: .prefix("app_"))
  /// ```
  public static func prefix(_ prefix: String) -> NamingStrategy {
    NamingStrategy(entity: { prefix + $0 }, attribute: { $0 }, attributeForm: .asIs)
  }
  /// Entities' names with something after them.
  ///
  /// ```swift
  /// let schema = try Schema(Snack.self, naming: .suffix("_table"))
  /// ```
  public static func suffix(_ suffix: String) -> NamingStrategy {
    NamingStrategy(entity: { $0 + suffix }, attribute: { $0 }, attributeForm: .asIs)
  }

  /// Words are parted before a capital that follows a small letter or a digit, and before the last
  /// of several capitals when a small letter follows it.
  private static func snakeCased(_ name: String) -> String {
    let letters = Array(name)
    var result = ""
    for (position, letter) in letters.enumerated() {
      if letter.isUppercase, position > 0, letters[position - 1] != "_" {
        let before = letters[position - 1]
        let followedBySmall = position + 1 < letters.count && letters[position + 1].isLowercase
        if !before.isUppercase || followedBySmall { result.append("_") }
      }
      result += letter.lowercased()
    }
    return result
  }
}
