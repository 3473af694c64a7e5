import ORMCore
