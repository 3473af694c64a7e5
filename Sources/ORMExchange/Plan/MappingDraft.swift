internal import ORM

/// A mapping while its rules are being checked and worked out, apart from its relationships.
///
/// A subclass adds these: those of a model, or the keys of to-ones that rows have.
class MappingDraft {
  /// The rules, which name properties by their names.
  let rules: MappingRules
  let entity: EntityDescription
  /// The number of attributes that take part; the keys of a model's to-ones come after them.
  let attributeCount: Int
  let reads: Bool
  let writes: Bool
  /// The rules of attributes and embedded structs.
  var fields: [FieldRule]
  var columns: [ColumnPlan] = []
  let reading = PathTree()
  var writing = WriteTree.empty
  var keyColumn: Int?
  private(set) var faults: [StoreError] = []
  /// The marks of embedded structs that may be nil.
  let marks: Set<Int>
  /// The paths of embedded structs that have a rule, by their names.
  var structPaths: [String: [PathStep]] = [:]

  init(
    _ rules: MappingRules, _ entity: EntityDescription, attributeCount: Int, reads: Bool = true,
    writes: Bool = true
  ) {
    self.rules = rules
    self.entity = entity
    self.attributeCount = attributeCount
    self.reads = reads
    self.writes = writes
    fields = rules.fields
    let names = entity.attributes.prefix(attributeCount).map(\.name)
    marks = Set(names.indices.filter { mark in names.contains { $0.hasPrefix(names[mark] + ".") } })
  }

  // MARK: - Differences of models and rows

  /// The embedded structs that may be nil.
  var structs: [RecordPlan.OptionalStruct] { [] }

  /// Returns whether the entity itself has a property, and not one above.
  func isOwn(_ name: String) -> Bool { true }

  /// The rules that hold for a property.
  func rules(of name: String) -> MappingRules { rules }

  /// The form of values of a type for which no rule names one.
  func usualFormat(of type: AttributeType) -> FieldFormat { .plain }

  /// The to-one whose key an attribute is a part of, where it is mapped by that.
  func link(ofKey name: String) -> String? { nil }

  /// The paths and the form of an attribute without a rule that is mapped by a to-one; nil for others.
  func keyMembers(
    of attribute: AttributeDescription, _ format: FieldFormat, reading: Bool
  ) -> (paths: [[PathStep]], format: FieldFormat)? { nil }

  /// The name of the property that faults of kinds are reported with.
  var kindProperty: String? { nil }

  // MARK: - Faults

  func fault(_ message: String, _ property: String? = nil) {
    add(
      StoreError(
        .invalidMapping, message, entity: entity.name, attributes: property.map { [$0] } ?? []))
  }

  func add(_ fault: StoreError) {
    // A rule of both directions has its faults in both.
    if !faults.contains(fault) { faults.append(fault) }
  }

  func throwFaults() throws {
    guard let first = faults.first else { return }
    if faults.count == 1 { throw first }
    throw StoreError(
      .invalidMapping, "the mapping has \(faults.count) faults", entity: entity.name,
      failures: faults)
  }

  // MARK: - Names

  /// The steps of a path; a fault and nil for text that is none.
  func steps(of source: String, _ property: String) -> [PathStep]? {
    if let steps = JSONKeyPath.steps(of: source) { return steps }
    fault("'\(source)' is not a path into JSON, such as price.amount or lines[0]", property)
    return nil
  }

  /// The JSON name of a name, by the rules of a property.
  func member(_ name: String, of property: String) -> PathStep {
    .name(rules(of: property).names.attributeName(name))
  }

  /// The path of a name that is no rule's: an attribute of a struct lies in the object of the struct.
  func standardPath(of name: String) -> [PathStep] {
    var known = ""
    return name.split(separator: ".").reduce(into: []) { path, part in
      known += (known.isEmpty ? "" : ".") + part
      path = structPaths[known] ?? path + [member(String(part), of: name)]
    }
  }

  /// The position of an attribute that takes part.
  func position(of name: String) -> Int? {
    entity.position(of: name).flatMap { $0 < attributeCount ? $0 : nil }
  }

  func isField(_ name: String) -> Bool {
    isOwn(name) && (position(of: name) != nil || entity.names(inStruct: name) != nil)
  }

  func isLink(_ name: String) -> Bool { isOwn(name) && entity.relationship(named: name) != nil }

  /// Returns whether a property takes part in a direction, by the lists of those that do or do not.
  func isSelected(_ name: String, reading: Bool) -> Bool {
    rules(of: name).selections.allSatisfy { selection in
      !(reading ? selection.direction.reads : selection.direction.writes)
        || selection.selects(name, of: link(ofKey: name))
    }
  }

  /// Finds rules that name no properties.
  func checkNames() {
    for rule in rules.fields {
      guard let name = rule.property.name else {
        fault("the key path of a field is not an attribute: \(rule.property.description)")
        continue
      }
      if !isField(name) { fault("the mapping names an attribute that the entity has not", name) }
    }
    for rule in rules.links {
      guard let name = rule.property.name else {
        fault("the key path of a relationship's rule is none: \(rule.property.description)")
        continue
      }
      if !isLink(name) { fault("the mapping names a relationship that the entity has not", name) }
    }
    for property in rules.selections.flatMap(\.properties) {
      guard let name = property.name else {
        fault("a key path that is left out, or the only one, is no property of the entity")
        continue
      }
      if !isField(name), !isLink(name) {
        fault("the mapping names a property that the entity has not", name)
      }
    }
  }

  /// Adds the member that names the kind of a record.
  func addKind() {
    guard let kind = rules.kind else { return }
    guard let path = kind.path, !kind.kinds.isEmpty else {
      return fault("a kind needs a path to a member, and one text or more", kindProperty)
    }
    var texts: Set<ExactText> = []
    for text in kind.kinds where !texts.insert(text).inserted && !kind.models.isEmpty {
      fault("the text '\(text)' stands for two kinds", kindProperty)
    }
    if reads { reading.add(path[...], .elsewhere) }
    // Without a text of its own, the entity's records are of no kind.
    if writes, let text = kind.text(of: entity.name), !writing.add(path[...], .text(text)) {
      fault("\(kind.member) is written for something else, and cannot name the kind", kindProperty)
    }
  }

  /// Makes members known that other kinds alone read, and that must be null.
  func addOthers(_ paths: [[PathStep]], beside own: [[PathStep]]) {
    for path in paths where !Self.overlaps(path, own) { reading.add(path[...], .otherKind) }
  }

  static func overlaps(_ path: [PathStep], _ others: [[PathStep]]) -> Bool {
    others.contains { $0.starts(with: path) || path.starts(with: $0) }
  }

  /// The rules for a subentity: those of attributes, whose lists leave out none of the attributes that
  /// the subentity adds.
  var rulesOfSubentity: MappingRules {
    var own = rules
    own.kind = nil
    own.kindMappings = []
    own.links = []
    own.fields = rules.fields.filter { $0.property.name.map(isField) ?? false }
    own.selections = rules.selections.compactMap { selection in
      let names =
        selection.isOnly
        ? entity.attributes.prefix(attributeCount).map(\.name).filter { !selection.selects($0) }
        : selection.properties.compactMap(\.name).filter(isField)
      if names.isEmpty { return nil }
      return .init(
        properties: names.map { .name($0) }, isOnly: false, direction: selection.direction)
    }
    return own
  }
}

extension MappingRules.Selection {
  /// Returns whether the list lets a property take part.
  ///
  /// - Parameters:
  ///   - name: the property.
  ///   - link: the to-one that an attribute is the key of, which may be named instead.
  func selects(_ name: String, of link: String? = nil) -> Bool {
    let names = properties.compactMap(\.name)
    let isNamed = names.contains { name == $0 || link == $0 || name.hasPrefix($0 + ".") }
    // An attribute of a struct that may be nil brings the mark of the struct with it.
    let isAround = names.contains { $0.hasPrefix(name + ".") }
    return isOnly ? isNamed || isAround : !isNamed
  }
}
