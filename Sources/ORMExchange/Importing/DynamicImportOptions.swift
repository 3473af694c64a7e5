public import ORM

/// The options of an import into an entity by names.
///
/// ```swift
/// let source = ImportFrom.csv(.text("id,title\n1,Chips\n"))
/// try store.import(entity: "Snack", from: source) {
///   $0.mapping.fields["name"] = .init(from: ["title"])
/// }
/// ```
@dynamicMemberLookup
public struct DynamicImportOptions: Sendable {
  /// The mapping of records.
  public var mapping = DynamicMapping()
  /// The rows that are deleted at the end if no record came for them; nil for none.
  public var prune: DynamicQuery?
  /// The options that do not depend on the entity.
  public var settings = ImportSettings()

  init() {}

  /// An option that does not depend on the entity.
  public subscript<Value>(
    dynamicMember path: WritableKeyPath<ImportSettings, Value>
  ) -> Value {
    get { settings[keyPath: path] }
    set { settings[keyPath: path] = newValue }
  }
}
