internal import ORMRows
internal import ORMStorage

/// A step as a value, in the form that is written as JSON.
enum MigrationAction: Codable, Sendable {
  case renameEntity(name: String, to: String, alias: Bool?)
  case renameAttribute(name: String, to: String, entity: String, alias: Bool?)
  case renameRelationship(name: String, to: String, entity: String, alias: Bool?)
  case dropEntity(name: String)
  case dropAttributes(names: [String], entity: String)
  case dropRelationship(name: String, entity: String)
  case addAttribute(name: String, type: AttributeType, entity: String, value: StoredValue?)
  case makeOptional(name: String, entity: String)
  case makeRequired(name: String, entity: String, value: StoredValue?)
  case changeType(
    name: String, type: AttributeType, entity: String, mapping: ValueMapping,
    failure: MappingFailure)
  case set(
    name: String, entity: String, value: String, condition: String?, mapping: ValueMapping)
  case rows(
    entity: String, closure: MigrationClosure<@Sendable (inout DynamicRow) throws -> Void>)
  case run(closure: MigrationClosure<@Sendable (WriteTransaction) throws -> Void>)
  case check(condition: String, entity: String)
  case removeDuplicates(names: [String], entity: String, keeping: MigrationStep.RetainedDuplicate)
  case moveLinks(name: String, entity: String, surplus: MigrationStep.SurplusLinks)
  case split(split: EntitySplit)
  case changeKey(entity: String, names: [String], isGenerated: Bool?)
  case fold(fold: EntityFold)
  case move(move: AttributeMove)
  case merge(merge: EntityMerge)
  case inherit(inheritance: Inheritance)
  case disinherit(entity: String, parent: String)
  case sql(text: String, kind: String)
  case fill(
    name: String, entity: String,
    closure: MigrationClosure<@Sendable ([DynamicRow]) throws -> [StoredValue]>)

  /// Changes a schema as the step does.
  ///
  /// - Parameter pass: runs the operations of steps that change the schema in several parts; by
  ///   default nothing, for a schema without data.
  /// - Throws: `invalidPlan` for a change that the schema does not allow, and for a closure that was not
  ///   read with the plan.
  func apply(
    to draft: inout SchemaDraft, _ pass: SchemaDraft.Pass = { _, _ in }
  ) throws {
    switch self {
    case .renameEntity(let name, let new, let alias):
      try draft.renameEntity(name, to: new, alias: alias == true)
    case .renameAttribute(let name, let new, let entity, let alias):
      try draft.renameAttribute(name, to: new, in: entity, alias: alias == true)
    case .renameRelationship(let name, let new, let entity, let alias):
      try draft.renameRelationship(name, to: new, in: entity, alias: alias == true)
    case .dropEntity(let name): try draft.dropEntity(name)
    case .dropAttributes(let names, let entity):
      for name in names { try draft.dropAttribute(name, in: entity) }
    case .dropRelationship(let name, let entity): try draft.dropRelationship(name, in: entity)
    case .addAttribute(let name, let type, let entity, let value):
      try draft.addAttribute(name, type, in: entity, value)
    case .makeOptional(let name, let entity):
      try draft.setOptional(name, in: entity, true)
    case .makeRequired(let name, let entity, _):
      try draft.setOptional(name, in: entity, false)
    case .changeType(let name, let type, let entity, let mapping, let failure):
      try mapping.checkClosure()
      try draft.checkTypeChange(of: name, in: entity, failure)
      try draft.setType(name, in: entity, type)
    case .set(let name, let entity, let value, let condition, let mapping):
      try mapping.checkClosure()
      try draft.checkAssigned(name, in: entity)
      try draft.checkFormats(value, condition, in: entity)
    case .rows(let entity, let closure):
      _ = try closure.run()
      _ = try draft.entity(entity)
    case .run(let closure): _ = try closure.run()
    case .check(let condition, let entity): try draft.checkFormats(nil, condition, in: entity)
    case .removeDuplicates(let names, let entity, _):
      for name in names { _ = try draft.location(name, of: entity) }
    case .moveLinks(let name, let entity, let surplus):
      try draft.moveLinks(of: name, in: entity, surplus)
    case .split(let split): try draft.split(split)
    case .changeKey(let entity, let names, let isGenerated):
      try draft.changeKey(of: entity, to: names, isGenerated: isGenerated == true, pass)
    case .merge(let merge): try draft.merge(merge, pass)
    case .inherit(let inheritance): try draft.inherit(inheritance, pass)
    case .disinherit(let entity, let parent): try draft.disinherit(entity, from: parent, pass)
    case .sql(let text, _): try draft.checkStatement(text)
    case .fold(let fold):
      let copy = try draft.copy(of: fold)
      try draft.addColumns(of: copy)
      try draft.finish(copy)
    case .move(let move):
      let copy = try draft.copy(of: move)
      try draft.addColumns(of: copy)
      try draft.finish(copy)
    case .fill(let name, let entity, let closure):
      _ = try closure.run()
      try draft.checkAssigned(name, in: entity)
    }
  }
}

extension MigrationAction {
  /// True for a rename that keeps the old name as an alias.
  var keepsAlias: Bool {
    switch self {
    case .renameEntity(_, _, let alias), .renameAttribute(_, _, _, let alias),
      .renameRelationship(_, _, _, let alias):
      alias == true
    default: false
    }
  }
}

extension MigrationAction: CustomStringConvertible {
  /// The step in a few words, for errors and reports.
  var description: String {
    switch self {
    case .renameEntity(let name, let new, let alias):
      "rename \(name) to \(new)" + (alias == true ? ", with an alias" : "")
    case .renameAttribute(let name, let new, let entity, let alias),
      .renameRelationship(let name, let new, let entity, let alias):
      "rename \(entity).\(name) to \(new)" + (alias == true ? ", with an alias" : "")
    case .dropEntity(let name): "drop \(name)"
    case .dropAttributes(let names, let entity):
      "drop \(names.joined(separator: ", ")) of \(entity)"
    case .dropRelationship(let name, let entity): "drop \(entity).\(name)"
    case .addAttribute(let name, let type, let entity, _): "add \(entity).\(name), \(type)"
    case .makeOptional(let name, let entity): "make \(entity).\(name) optional"
    case .makeRequired(let name, let entity, _): "make \(entity).\(name) required"
    case .changeType(let name, let type, let entity, _, _): "make \(entity).\(name) \(type)"
    case .set(let name, let entity, let value, _, _): "set \(entity).\(name) to \(value)"
    case .rows(let entity, let closure): "\(closure.name), for each row of \(entity)"
    case .run(let closure): closure.name
    case .check(let condition, let entity): "check \(condition) of \(entity)"
    case .removeDuplicates(let names, let entity, _):
      "remove duplicates of \(names.joined(separator: ", ")) of \(entity)"
    case .moveLinks(let name, let entity, _): "move the links of \(entity).\(name)"
    case .split(let split):
      "move \(split.names.joined(separator: ", ")) of \(split.entity) to \(split.into)"
    case .fold(let fold): "fold \(fold.entity).\(fold.link)"
    case .move(let move): "move \(move.from).\(move.name) to \(move.to) through \(move.link)"
    case .fill(let name, let entity, let closure): "\(closure.name), for \(entity).\(name)"
    case .changeKey(let entity, let names, _):
      "make \(names.joined(separator: ", ")) the key of \(entity)"
    case .merge(let merge):
      "merge \(merge.entities.joined(separator: ", ")) into \(merge.into)"
    case .inherit(let step): "make \(step.entity) a subentity of \(step.parent)"
    case .disinherit(let entity, let parent): "take \(entity) out of \(parent)"
    case .sql(_, let kind): "a statement of SQL for \(kind)"
    }
  }
}
