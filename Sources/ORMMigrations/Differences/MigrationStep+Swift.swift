internal import FoundationEssentials
internal import ORMStorage

extension MigrationStep {
  /// The step as Swift code; of a closure no more than its name.
  var swift: String { action.swift }
}

extension MigrationAction {
  fileprivate var swift: String {
    switch self {
    case .renameEntity(let name, let new, let alias):
      ".renameEntity(\(text(name)), to: \(text(new))\(Self.alias(alias)))"
    case .renameAttribute(let name, let new, let entity, let alias):
      ".renameAttribute(\(text(name)), to: \(text(new)), in: \(text(entity))\(Self.alias(alias)))"
    case .renameRelationship(let name, let new, let entity, let alias):
      ".renameRelationship(\(text(name)), to: \(text(new)), in: \(text(entity))"
        + "\(Self.alias(alias)))"
    case .dropEntity(let name): ".dropEntity(\(text(name)))"
    case .dropAttributes(let names, let entity):
      ".dropAttributes([\(names.map(text).joined(separator: ", "))], in: \(text(entity)))"
    case .dropRelationship(let name, let entity):
      ".dropRelationship(\(text(name)), in: \(text(entity)))"
    case .addAttribute(let name, let type, let entity, let value):
      ".addAttribute(\(text(name)), \(type.swift), in: \(text(entity))\(Self.default(value)))"
    case .makeOptional(let name, let entity):
      ".makeOptional(\(text(name)), in: \(text(entity)))"
    case .makeRequired(let name, let entity, let value):
      ".makeRequired(\(text(name)), in: \(text(entity))\(Self.default(value)))"
    case .changeType(let name, let type, let entity, _, _):
      ".changeType(of: \(text(name)), to: \(type.swift), in: \(text(entity)))"
    case .moveLinks(let name, let entity, let surplus):
      ".moveLinks(of: \(text(name)), in: \(text(entity))"
        + (surplus == .throw ? ")" : ", surplus: .\(surplus))")
    case .changeKey(let entity, let names, let isGenerated):
      ".changeKey(of: \(text(entity)), to: [\(names.map(text).joined(separator: ", "))]"
        + (isGenerated == true ? ", isGenerated: true)" : ")")
    case .inherit(let step):
      ".inherit(\(text(step.entity)), from: \(text(step.parent))"
        + (step.keepsKeys ? ", keepingKeys: true)" : ")")
    case .disinherit(let entity, let parent):
      ".disinherit(\(text(entity)), from: \(text(parent)))"
    case .set, .rows, .run, .fill, .check, .removeDuplicates, .split, .fold, .move, .merge,
      .sql:
      "/* \(description) */"
    }
  }

  private static func alias(_ hasAlias: Bool?) -> String { hasAlias == true ? ", alias: true" : "" }

  private static func `default`(_ value: StoredValue?) -> String {
    value.map { ", default: \($0.swift)" } ?? ""
  }

  private func text(_ name: String) -> String { name.debugDescription }
}

extension AttributeType {
  fileprivate var swift: String {
    if case .array(let element) = self { ".array(\(element.swift))" } else { ".\(self)" }
  }
}

extension StoredValue {
  /// The value as Swift code.
  fileprivate var swift: String {
    switch self {
    case .null: ".null"
    case .bool(let value): ".bool(\(value))"
    case .int(let value): ".int(\(value))"
    case .uint(let value): ".uint(\(value))"
    case .double(let value): ".double(\(value))"
    case .string(let value): ".string(\(value.debugDescription))"
    case .data(let value): ".data(Data(\(Array(value))))"
    case .date(let value):
      ".date(Date(timeIntervalSinceReferenceDate: \(value.timeIntervalSinceReferenceDate)))"
    case .uuid(let value): ".uuid(UUID(uuidString: \"\(value)\")!)"
    case .decimal(let value): ".decimal(\(value))"
    case .array(let values): ".array([\(values.map(\.swift).joined(separator: ", "))])"
    case .json(let value): ".json(\(value.debugDescription))"
    }
  }
}
