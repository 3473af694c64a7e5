public import ORM

/// A mapping of records to the rows of an entity, by names: for tools, and kept as JSON.
///
/// ```swift
/// let mapping = DynamicMapping(fields: ["name": .init(from: ["title"]), "price": .init(from: ["cost.amount"])])
/// ```
///
/// As JSON: `{"fields": {"name": {"from": ["title"]}, "added": {"as": "milliseconds"}}}`. Attributes
/// that it does not mention have their own names.
public struct DynamicMapping: Hashable, Codable, Sendable {
  /// The rules of attributes, by their names.
  public var fields: [String: Field]
  /// The only attributes that take part; nil for all.
  public var only: [String]?
  /// Attributes that do not take part.
  public var leaveOut: [String]
  /// The treatment of members that no attribute is read from.
  public var unknown: UnknownMembers

  /// Makes a mapping.
  public init(
    fields: [String: Field] = [:], only: [String]? = nil, leaveOut: [String] = [],
    unknown: UnknownMembers = .ignore
  ) {
    self.fields = fields
    self.only = only
    self.leaveOut = leaveOut
    self.unknown = unknown
  }

  private enum CodingKeys: String, CodingKey, CaseIterable { case fields, only, leaveOut, unknown }

  /// Decodes a mapping; what is not there has its default.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    fields = try members.decodeIfPresent([String: Field].self, forKey: .fields) ?? [:]
    only = try members.decodeIfPresent([String].self, forKey: .only)
    leaveOut = try members.decodeIfPresent([String].self, forKey: .leaveOut) ?? []
    unknown = try members.decodeIfPresent(UnknownMembers.self, forKey: .unknown) ?? .ignore
  }

  /// A rule for an attribute.
  public struct Field: Hashable, Codable, Sendable {
    /// The paths that it is read from, the first that has a value counts; its name if there are none.
    public var from: [String]
    /// The form of the value: `iso8601`, `seconds`, `milliseconds`, `microseconds`,
    /// `secondsSince2001` or a pattern such as `dd.MM.yyyy` for a date, `base64`, `base64URL` or
    /// `hex` for data; nil for the usual one.
    public var form: String?
    /// The treatment of null.
    public var onNull: JSONAbsence
    /// The treatment of a missing member.
    public var onAbsent: JSONAbsence

    /// Makes a rule.
    public init(
      from: [String] = [], as form: String? = nil, onNull: JSONAbsence = .setNil,
      onAbsent: JSONAbsence = .keep
    ) {
      self.from = from
      self.form = form
      self.onNull = onNull
      self.onAbsent = onAbsent
    }

    private enum CodingKeys: String, CodingKey {
      case from, onNull, onAbsent
      case form = "as"
    }

    /// Decodes a rule; what is not there has its default.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      from = try members.decodeIfPresent([String].self, forKey: .from) ?? []
      form = try members.decodeIfPresent(String.self, forKey: .form)
      onNull = try members.decodeIfPresent(JSONAbsence.self, forKey: .onNull) ?? .setNil
      onAbsent = try members.decodeIfPresent(JSONAbsence.self, forKey: .onAbsent) ?? .keep
    }
  }
}

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

extension DynamicMapping {
  /// The mapping for an entity.
  ///
  /// - Throws: `invalidMapping` with every fault.
  func plan(for entity: EntityDescription) throws -> RecordPlan {
    var faults: [StoreError] = []
    func fault(_ message: String, _ attribute: String) {
      faults.append(
        StoreError(.invalidMapping, message, entity: entity.name, attributes: [attribute]))
    }
    for name in Set(fields.keys).union(only ?? []).union(leaveOut).sorted()
    where entity.position(of: name) == nil {
      fault("the mapping names an attribute that the entity has not", name)
    }
    let tree = PathTree()
    var columns: [ColumnPlan] = []
    for (position, attribute) in entity.attributes.enumerated() {
      let field = fields[attribute.name] ?? Field()
      let isRead =
        only?.contains(attribute.name) ?? true && !leaveOut.contains(attribute.name)
        && attribute.derived == nil
      var paths: [[PathStep]] = []
      for source in isRead ? field.from : [] {
        if let steps = JSONKeyPath.steps(of: source) {
          paths.append(steps)
        } else {
          fault(
            "'\(source)' is not a path into JSON, such as price.amount or lines[0]", attribute.name)
        }
      }
      if isRead, field.from.isEmpty {
        // A struct's attributes have the names of its object and of their own.
        paths = [attribute.name.split(separator: ".").map { .name(String($0)) }]
      }
      for (rank, path) in paths.prefix(100).enumerated() {
        tree.add(path[...], .column(position, rank: UInt8(rank)))
      }
      let format = Self.format(field.form, attribute.type)
      if format == nil { fault("'\(field.form ?? "")' is no form of its type", attribute.name) }
      columns.append(
        ColumnPlan(
          attribute, isKeyOf: entity.key.contains(attribute.name) ? entity.keySource : nil,
          format: format ?? .plain, onNull: field.onNull, onAbsent: field.onAbsent, sources: paths))
    }
    if let first = faults.first {
      throw faults.count == 1
        ? first
        : StoreError(
          .invalidMapping, "the mapping has \(faults.count) faults", entity: entity.name,
          failures: faults)
    }
    return RecordPlan(
      entity: entity.name, columnCount: columns.count, columns: columns, reading: tree,
      isStrict: unknown == .refuse)
  }

  /// The form by its name; nil for one that is none of the type's.
  private static func format(_ name: String?, _ type: AttributeType) -> FieldFormat? {
    switch type.kind {
    case .string: return name == nil || name == "text" ? .text : nil
    case .int, .unsigned, .double, .decimal:
      return name == nil || name == "number" ? .number(orText: true, writesText: false) : nil
    case .bool: return name == nil || name == "boolean" ? .bool(writesNumber: false) : nil
    case .data:
      return name.map { JSONDataFormat(rawValue: $0).map { .data($0) } } ?? .plain
    case .date:
      switch name {
      case nil: return .date([.iso8601, .secondsSince2001])
      case "iso8601": return .date([.iso8601])
      case "seconds": return .date([.seconds])
      case "milliseconds": return .date([.milliseconds])
      case "microseconds": return .date([.microseconds])
      case "secondsSince2001": return .date([.secondsSince2001])
      case let pattern?: return .date([.pattern(pattern)])
      }
    default: return name == nil ? .plain : nil
    }
  }
}
